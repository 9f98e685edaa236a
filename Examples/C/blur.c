/* Blurs an image: reads a binary 8-bit PPM or PGM from standard input, writes one to standard output,
 * and describes the plan on standard error.
 *
 *     cc blur.c $(pkg-config --cflags --libs frostglass) -o blur
 *     ./blur "blur(12px) saturate(150%)" <in.ppm >out.ppm
 */
#include <frostglass.h>
#include <stdio.h>
#include <stdlib.h>

static int32_t tell(void *context, double done)
{
    int *percent = context;
    *percent = (int)(100 * done);
    return 0;
}

int main(int count, char **arguments)
{
    const char *filters = count > 1 ? arguments[1] : "blur(12px)";
    char kind, error[256];
    long width, height, most;
    if (fg_abi_version() != FG_ABI_VERSION) return 1;
    if (scanf("P%c %ld %ld %ld", &kind, &width, &height, &most) != 4
        || (kind != '5' && kind != '6') || width < 1 || height < 1 || width > 65535 || height > 65535
        || most != 255 || getchar() == EOF) {
        fprintf(stderr, "standard input is no binary PPM or PGM of 8 bits\n");
        return 65;
    }
    size_t channels = kind == '6' ? 3 : 1;
    size_t bytes = (size_t)width * (size_t)height * channels;
    unsigned char *pixels = malloc(2 * bytes);
    if (!pixels || fread(pixels, 1, bytes, stdin) != bytes) {
        fprintf(stderr, "the picture ends too early\n");
        free(pixels);
        return 65;
    }
    fg_image input = {.struct_size = sizeof input, .data = pixels, .width = width, .height = height};
    input.format = channels == 3 ? FG_RGB8 : FG_GRAY8;
    fg_image output = input;
    output.data = pixels + bytes;

    int percent = 0;
    fg_engine *engine = NULL;
    fg_plan *plan = NULL;
    fg_plan_options options = {.struct_size = sizeof options, .input = &input};
    fg_plan_info info = {.struct_size = sizeof info};
    fg_run_options run = {.struct_size = sizeof run, .progress = tell, .context = &percent};
    fg_status status = fg_engine_create(NULL, &engine, error, sizeof error);
    if (!status)
        status = fg_plan_create(engine, &filters, 1, &options, &plan, error, sizeof error);
    if (!status) status = fg_plan_describe(plan, 0, &info, error, sizeof error);
    if (!status) status = fg_plan_run(plan, &input, &output, 1, &run, error, sizeof error);
    if (status) {
        fprintf(stderr, "%s: %s\n", fg_status_name(status), error);
    } else {
        fprintf(stderr, "%d%% done, certified under %.3f levels of 255\n", percent,
                info.certified_error + 0.0005);
        printf("P%c\n%ld %ld\n255\n", kind, width, height);
        fwrite(output.data, 1, bytes, stdout);
    }
    fg_plan_free(plan);
    fg_engine_free(engine);
    free(pixels);
    return status ? 70 : 0;
}
