/// Networks in ONNX files, run by OpenCV. No exception leaves these functions.
#ifndef FROSTGLASS_OPENCV_NETWORK_H
#define FROSTGLASS_OPENCV_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A network that has been read.
typedef struct fgk_network fgk_network;

/// Has OpenCV use one thread and say nothing by itself. Called once, before anything else.
void fgk_network_prepare(void);

/// Reads a network from the bytes of an ONNX file.
///
/// Returns NULL where it cannot be used; `reason` then holds a text of at most `room` bytes.
fgk_network *fgk_network_read(const uint8_t *bytes, size_t count, char *reason, size_t room);

/// Frees a network.
void fgk_network_free(fgk_network *network);

/// Computes outputs by their names for an image of three planes.
///
/// Returns 0, or -1 where that fails; `reason` then holds a text.
int fgk_network_run(fgk_network *network, const float *planes, int width, int height, const char *const *names,
                   size_t count, char *reason, size_t room);

/// The values of an output of the last run, NULL where they are no numbers of 32 bits; `shape` gets the extent of
/// up to 8 dimensions, and `dimensions` how many there are.
const float *fgk_network_output(const fgk_network *network, size_t index, int32_t *shape, int32_t *dimensions);

#ifdef __cplusplus
}
#endif

#endif
