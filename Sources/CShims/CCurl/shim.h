// libcurl, whose functions with variable arguments do not import into Swift.
#ifndef FROSTGLASS_CCURL_SHIM_H
#define FROSTGLASS_CCURL_SHIM_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

static inline CURLcode fgk_set_long(CURL *transfer, CURLoption option, long value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode fgk_set_text(CURL *transfer, CURLoption option, const char *value) {
  return curl_easy_setopt(transfer, option, value);
}

/// Sets the header fields that a request has beside its own; the list has to outlive the transfer.
static inline CURLcode fgk_set_fields(CURL *transfer, struct curl_slist *fields) {
  return curl_easy_setopt(transfer, CURLOPT_HTTPHEADER, fields);
}

/// Sets what is called with each line of a head and each part of a body, before a socket is opened, and before
/// a request is sent on a connection, which may be an earlier one.
static inline void fgk_set_callbacks(CURL *transfer, void *context,
                                    size_t (*line)(char *, size_t, size_t, void *),
                                    size_t (*part)(char *, size_t, size_t, void *),
                                    curl_socket_t (*open)(void *, curlsocktype,
                                                          struct curl_sockaddr *),
                                    int (*send)(void *, char *, char *, int, int)) {
  curl_easy_setopt(transfer, CURLOPT_HEADERFUNCTION, line);
  curl_easy_setopt(transfer, CURLOPT_HEADERDATA, context);
  curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, part);
  curl_easy_setopt(transfer, CURLOPT_WRITEDATA, context);
  curl_easy_setopt(transfer, CURLOPT_OPENSOCKETFUNCTION, open);
  curl_easy_setopt(transfer, CURLOPT_OPENSOCKETDATA, context);
  curl_easy_setopt(transfer, CURLOPT_PREREQFUNCTION, send);
  curl_easy_setopt(transfer, CURLOPT_PREREQDATA, context);
  curl_easy_setopt(transfer, CURLOPT_PRIVATE, context);
}

/// The status of an answer; 0 where there was none.
static inline long fg_status(CURL *transfer) {
  long status = 0;
  curl_easy_getinfo(transfer, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/// Whether a transfer looked for its server, and did not get a connection. One that waited for others to end has
/// not looked.
static inline bool fgk_found_nobody(CURL *transfer) {
  curl_off_t found = 0, connected = 0;
  curl_easy_getinfo(transfer, CURLINFO_NAMELOOKUP_TIME_T, &found);
  curl_easy_getinfo(transfer, CURLINFO_PRETRANSFER_TIME_T, &connected);
  return found > 0 && connected == 0;
}

/// The address that an answer redirects to, whole; NULL where it does not.
static inline const char *fgk_redirect(CURL *transfer) {
  char *address = NULL;
  curl_easy_getinfo(transfer, CURLINFO_REDIRECT_URL, &address);
  return address;
}

/// A transfer that has ended, and how; returns its context, or NULL where none has.
static inline void *fgk_next_done(CURLM *transfers, CURLcode *result) {
  int left = 0;
  const CURLMsg *message;
  while ((message = curl_multi_info_read(transfers, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    void *context = NULL;
    *result = message->data.result;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &context);
    return context;
  }
  return NULL;
}

static inline CURLMcode fgk_set_limit(CURLM *transfers, CURLMoption option, long value) {
  return curl_multi_setopt(transfers, option, value);
}

/// Copies the address that a socket is to be connected to, most significant byte first. Returns its length,
/// 4 or 16, or 0 for an address of another family.
static inline int fgk_address(const struct curl_sockaddr *address, unsigned char bytes[16]) {
  switch (address->family) {
  case AF_INET:
    memcpy(bytes, &((const struct sockaddr_in *)&address->addr)->sin_addr, 4);
    return 4;
  case AF_INET6:
    memcpy(bytes, &((const struct sockaddr_in6 *)&address->addr)->sin6_addr, 16);
    return 16;
  default: return 0;
  }
}

/// Opens the socket for an address.
static inline curl_socket_t fgk_open_socket(const struct curl_sockaddr *address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

#endif
