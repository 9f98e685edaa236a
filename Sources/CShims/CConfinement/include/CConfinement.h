// What a process gives up for good, in all of its threads.
#ifndef FROSTGLASS_CCONFINEMENT_H
#define FROSTGLASS_CCONFINEMENT_H

#include <stddef.h>

/// The version of Landlock that the kernel offers; 0 where it has none or does not use it.
int fgk_landlock_version(void);

/// Makes a set of rules that allows nothing of what this version of Landlock knows: no file, no folder,
/// no TCP port; no signal and no abstract socket of another process.
///
/// - connects: whether connecting to TCP ports stays allowed.
///
/// Returns a descriptor, or the error number negated.
int fgk_landlock_nothing(int version, int connects);

/// Has a set of rules allow reading a file, or what is below a folder. Returns 0, or an error number.
int fgk_landlock_allow_reading(int rules, const char *path);

/// Takes from every thread of the process what it could gain by starting programs, all
/// capabilities, and what a set of rules forbids.
///
/// While it works the threads' SIGSYS is in use, and no other thread may call it.
///
/// - rules: a descriptor of fgk_landlock_nothing; -1 for none.
///
/// Returns 0, or an error number; then some threads may have given up what others have not.
int fgk_give_up(int rules);

/// Answers each `newfstatat` that a filter traps (SIGSYS) from now on: with `fstat` where its path is empty, as the C
/// library asks about what is open, and with EPERM where there is a path. Returns 0, or an error number.
int fgk_answer_trapped_stat(void);

/// Makes this process the parent of those below it whose parent has ended, so that it can wait for them. Returns 0, or
/// an error number.
int fgk_adopt_orphans(void);

/// Ends the process at once when the thread that started it ends. Returns 0, or an error number.
int fgk_die_with_parent(void);

/// Has a process that is to be started close this descriptor and all above it. Returns 0, or an error
/// number. (Swift does not see the C library's extensions.)
///
/// - actions: a posix_spawn_file_actions_t.
int fgk_add_close_from(void *actions, int first);

/// Has libnuma, where a library has brought it along, find out which processors belong together: it reads
/// that from files, and keeps it.
void fgk_learn_processor_nodes(void);

/// Makes memory without a name that other processes can be given, of a size that nobody can change any
/// more. Pages are taken when they are first written to. Returns a descriptor, or the error number negated.
int fgk_shared_memory(size_t bytes);

/// Has pages of such memory be there. Returns 0, or an error number where there is no memory.
int fgk_take_shared_memory(int memory, size_t from, size_t bytes);

/// Gives the pages of such memory back from a place on, which then reads as zeros.
void fgk_empty_shared_memory(int memory, size_t from, size_t bytes);

/// Returns free memory of the C library's allocator to the system where the process has touched so many
/// bytes of new memory since it last did. To be called by one thread only.
void fgk_give_memory_back(size_t touched);

#endif
