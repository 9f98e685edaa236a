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
static inline struct MHD_Daemon *fgk_start_daemon(unsigned int flags,
                                                 MHD_AccessHandlerCallback handler, void *context,
                                                 struct MHD_OptionItem *options) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options,
                          MHD_OPTION_END);
}

/// The socket of a connection; -1 where there is none.
static inline int fgk_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// The other end of a connection; NULL where that is not known.
static inline const struct sockaddr *fgk_connection_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/// What `MHD_OPTION_NOTIFY_CONNECTION` has stored for a connection.
static inline void *fgk_connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/// Never called: what it is for has no body.
static inline ssize_t fgk_read_nothing(void *context, uint64_t position, char *buffer, size_t count) {
  return MHD_CONTENT_READER_END_OF_STREAM;
}

/// A response that has neither a body nor a `Content-Length`, for status 304; NULL where there is no memory.
///
/// RFC 9110, section 8.6: that length may be none but the one of the answer with status 200. Of an empty
/// body libmicrohttpd (0.9.75) says that it has 0 bytes, and of one whose length is not known that it comes
/// in chunks, for which some clients wait. Neither is said where the connection ends with the response.
static inline struct MHD_Response *fgk_response_without_length(void) {
  struct MHD_Response *response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, fgk_read_nothing, NULL, NULL);
  if (response)
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
  return response;
}

/// A response that says the length of a body and has none, for status 304 and for HEAD, to which libmicrohttpd sends no
/// body; NULL where there is no memory.
static inline struct MHD_Response *fgk_response_of_length(uint64_t length) {
  return MHD_create_response_from_callback(length, 1, fgk_read_nothing, NULL, NULL);
}

/// Has a daemon take no more connections from its socket; `MHD_stop_daemon` closes that number.
///
/// `MHD_quiesce_daemon` takes the socket out of the daemon's epoll set, and so does the daemon's thread
/// where it sees at the same moment that this is wanted. Whichever comes second finds nothing, which
/// ends the process in some places (0.9.75, daemon.c:4940 and 4976): 1 of some 100,000
/// times, more often where the thread has just been started. So the library is not told. The socket
/// leaves the set, and its number is given to something that nobody connects to.
static inline void fgk_stop_listening(struct MHD_Daemon *daemon, int listener) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  // A socket of systemd's stays open elsewhere, and so in the set, when its number is taken here.
  const int was_watched = info && !epoll_ctl(info->epoll_fd, EPOLL_CTL_DEL, listener, NULL);
  int stand_in = epoll_create1(EPOLL_CLOEXEC);
  if (stand_in < 0) return;
  dup2(stand_in, listener);
  fcntl(listener, F_SETFD, FD_CLOEXEC);
  close(stand_in);
  // Where connections are as many as may be, the library takes the number out of its set, and ends the process where it
  // is not in it.
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = daemon};
  if (was_watched) epoll_ctl(info->epoll_fd, EPOLL_CTL_ADD, listener, &event);
}

/// Opens a path below a folder for reading, and nothing outside: no absolute path, no `..` out of it,
/// no symbolic link out of it, no `/proc` link. -1 with errno where it cannot.
static inline int fgk_open_beneath(int folder, const char *path) {
  struct open_how how = {0};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

#endif
