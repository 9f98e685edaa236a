/* Blurs image files in three ways: from file to file, from bytes to bytes, and pixel by pixel between
 * reading and writing.
 *
 *     cc files.c $(pkg-config --cflags --libs frostglass-files) -o files
 *     ./files "blur(12px) saturate(150%)" photo.jpg blurred.webp
 *
 * writes blurred.webp, and beside it blurred.webp.png, which has a black frame.
 */
#include <frostglass_files.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char error[512];

static int failed(fg_status status)
{
    if (status) fprintf(stderr, "%s: %s\n", fg_status_name(status), error);
    return status != FG_OK;
}

/* From file to file: rows are read, computed and written side by side. */
static int fileToFile(fg_engine *engine, const char *filters, const char *in, const char *out)
{
    fg_encode_options encode = {.struct_size = sizeof encode, .overwrite = 1};
    fg_file_options options = {.struct_size = sizeof options, .encode = &encode, .seconds = 60};
    fg_file_info info = {.struct_size = sizeof info};
    if (failed(fg_apply_file(engine, filters, in, out, &options, &info, error, sizeof error)))
        return 1;
    printf("%s: %lld x %lld, %s by %s\n", out, (long long)info.width, (long long)info.height,
           info.format, info.backend);
    return 0;
}

/* Between reading and writing pixels are the program's: it paints a frame around them. */
static int byPixels(fg_engine *engine, const char *filters, const char *in, const char *out)
{
    fg_picture *picture = NULL;
    fg_data *data = NULL;
    fg_image image = {.struct_size = sizeof image};
    fg_encode_options png = {.struct_size = sizeof png, .format = "png", .overwrite = 1};
    const void *bytes = NULL;
    size_t size = 0;
    int isBad = failed(fg_decode_file(in, NULL, &picture, error, sizeof error))
        || failed(fg_picture_image(picture, &image, error, sizeof error));
    unsigned char *result = NULL;
    if (!isBad && image.format != FG_RGB8) {
        fprintf(stderr, "the example takes pictures with three channels of 8 bits\n");
        isBad = 1;
    }
    if (!isBad) {
        fg_image blurred = image;
        size_t count = (size_t)(image.stride * image.height);
        result = malloc(count);
        blurred.data = result;
        isBad = !result
            || failed(fg_apply(engine, filters, &image, &blurred, NULL, error, sizeof error));
        size_t row = 3 * (size_t)image.width;
        for (int64_t y = 0; !isBad && y < image.height; y++) {
            unsigned char *pixels = result + y * image.stride;
            if (y == 0 || y == image.height - 1) memset(pixels, 0, row);
            memset(pixels, 0, 3);
            memset(pixels + row - 3, 0, 3);
        }
        isBad = isBad
            || failed(fg_encode_bytes(&blurred, picture, &png, &data, error, sizeof error))
            || failed(fg_data_bytes(data, &bytes, &size, error, sizeof error))
            || failed(fg_encode_file(&blurred, picture, out, &png, error, sizeof error));
    }
    if (!isBad) printf("%s: the same as %zu bytes\n", out, size);
    fg_data_free(data);
    fg_picture_free(picture);
    free(result);
    return isBad;
}

int main(int count, char **arguments)
{
    if (count != 4 || fg_abi_version() != FG_ABI_VERSION) {
        fprintf(stderr, "usage: %s FILTERS INPUT OUTPUT\n", arguments[0]);
        return 64;
    }
    /* "gl" takes a GPU, and nothing takes whatever is faster. */
    fg_backend_options options = {.struct_size = sizeof options, .backend = FG_BACKEND_FAST};
    const char *backend = getenv("BACKEND");
    if (backend && !strcmp(backend, "gl")) options.backend = FG_BACKEND_GL;
    fg_engine *engine = NULL;
    if (failed(fg_engine_create_on(&options, &engine, error, sizeof error))) return 70;
    char beside[4096];
    snprintf(beside, sizeof beside, "%s.png", arguments[3]);
    int isBad = fileToFile(engine, arguments[1], arguments[2], arguments[3])
        || byPixels(engine, arguments[1], arguments[2], beside);
    fg_engine_free(engine);
    return isBad ? 70 : 0;
}
