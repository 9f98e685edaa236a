// GNU libmicrohttpd, whose functions with variable arguments do not import into Swift, and a call of
// Linux that has no function in the C library.
#ifndef FROSTGLASS_CHTTP_SHIM_H
#define FROSTGLASS_CHTTP_SHIM_H

#include <fcntl.h>
#include <linux/openat2.h>
#include <microhttpd.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/// Starts a daemon that listens on a socket; NULL where it cannot.
static inline struct MHD_Daemon *fg_start_daemon(unsigned int flags,
                                                 MHD_AccessHandlerCallback handler, void *context,
                                                 struct MHD_OptionItem *options) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options,
                          MHD_OPTION_END);
}

/// The socket of a connection; -1 where there is none.
static inline int fg_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// The other end of a connection; NULL where that is not known.
static inline const struct sockaddr *fg_connection_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/// What `MHD_OPTION_NOTIFY_CONNECTION` has stored for a connection.
static inline void *fg_connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/// Opens a path below a folder for reading, and nothing outside: no absolute path, no `..` out of it,
/// no symbolic link out of it, no `/proc` link. -1 with errno where it cannot.
static inline int fg_open_beneath(int folder, const char *path) {
  struct open_how how = {0};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

#endif
