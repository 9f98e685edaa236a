// GNU libmicrohttpd. Its functions with variable arguments do not import into Swift; the others take
// options as an array.
#ifndef FROSTGLASS_CHTTP_SHIM_H
#define FROSTGLASS_CHTTP_SHIM_H

#include <microhttpd.h>

#endif
