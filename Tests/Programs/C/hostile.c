/* A C program that is as bad as C programs can be, for the sanitizers: scripts/c-sanitize.sh builds the
 * library with one, and runs this over it. Memory that it promises is exactly as large as it says, so that
 * what is read or written beyond it is seen.
 *
 *     hostile [SEED]
 */
#include <frostglass.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

#define EXPECT(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what); \
            failures++; \
        } \
    } while (0)

static unsigned long long state;

/* 0 to limit - 1, by xorshift. */
static unsigned chance(unsigned limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % limit;
}

/* Numbers at which overflows and comparisons go wrong. */
static int64_t number(void)
{
    static const int64_t numbers[] = {0, 1, -1, 2, 7, 16, 33, 255, 256, 65535, 65536, 1 << 24,
        (1 << 24) + 1, INT32_MAX, INT32_MIN, (int64_t)1 << 40, (int64_t)1 << 62, INT64_MAX, INT64_MIN};
    return numbers[chance(sizeof numbers / sizeof *numbers)];
}

static size_t bytesPerPixel(int format)
{
    static const size_t channels[] = {1, 3, 4}, depths[] = {1, 2, 4};
    return channels[(format - 1) / 3] * depths[(format - 1) % 3];
}

/* Pixels with gaps between rows, in memory that ends with the last one. */
static fg_image pixels(int64_t width, int64_t height, int format, int64_t gap)
{
    fg_image image = {.struct_size = sizeof image, .width = width, .height = height};
    size_t row = (size_t)width * bytesPerPixel(format);
    image.format = format;
    image.stride = (int64_t)row + gap;
    size_t count = (size_t)image.stride * (size_t)(height - 1) + row;
    image.data = malloc(count);
    for (size_t i = 0; image.data && i < count; i++)
        ((unsigned char *)image.data)[i] = format % 3 == 0 ? 0 : (unsigned char)chance(256);
    return image;
}

static const char *const texts[] = {"blur(4px)", "blur(2%) saturate(180%)", "median(2)", "pixelate(5)",
    "tilt-shift(5)", "lens(6px)", "triple-box(3px) grain(0.1)", "drop-shadow(3px 3px 4px black)",
    "bilateral(2)", "motion(9px, 20deg)", "zoom(4%)", "kawase(5px)", "glass()", "frost()", "none",
    "blur(1000px)", "progressive-blur(9px)", "dither()", "emboss()", "no-such()", "", "blur(", "blur(1e999px)"};

/* Good plans on all formats and odd sizes, into memory without a byte to spare. */
static void goodCalls(fg_engine *engine)
{
    char error[200];
    for (int turn = 0; turn < 120; turn++) {
        int format = 1 + turn % 9;
        int64_t align = (int64_t[]){1, 2, 4}[(format - 1) % 3];
        fg_image input = pixels(1 + chance(70), 1 + chance(50), format, align * chance(9));
        fg_image output = pixels(input.width, input.height, format, align * chance(9));
        const char *text = texts[chance(sizeof texts / sizeof *texts)];
        fg_mask mask = {.struct_size = sizeof mask, .regions = "10%,10%,50%,60%; ellipse(3,3,9,20)"};
        mask.feather = chance(2) ? "3" : NULL;
        mask.use = (int32_t)chance(2);
        mask.inverted = (int32_t)chance(2);
        fg_plan_options options = {.struct_size = sizeof options, .input = &input};
        options.edge = (int32_t)chance(3);
        options.quality = (int32_t)chance(2);
        options.linear_light = (int32_t)chance(2);
        if (chance(3) == 0) options.mask = &mask;
        fg_plan *plan = NULL;
        if (!fg_plan_create(engine, &text, 1, &options, &plan, error, sizeof error)) {
            fg_plan_info info = {.struct_size = sizeof info};
            EXPECT(!fg_plan_describe(plan, 0, &info, error, sizeof error));
            size_t needed = 0;
            EXPECT(!fg_plan_text(plan, NULL, 0, &needed, error, sizeof error));
            char *room = malloc(needed);
            EXPECT(!fg_plan_text(plan, room, needed, NULL, error, sizeof error));
            free(room);
            if (info.result.format == format) {
                output.alpha = info.result.alpha;
                output.transfer = info.result.transfer;
                fg_status status = fg_plan_run(plan, &input, &output, 1, NULL, error, sizeof error);
                if (status) fprintf(stderr, "%s: %s\n", text, error);
                EXPECT(status == FG_OK);
            }
        } else {
            EXPECT(plan == NULL && error[0]);
        }
        EXPECT(!fg_plan_free(plan));
        free(input.data);
        free(output.data);
    }
}

/* Numbers drawn by chance in every structure; what is promised of memory stays true. */
static void badCalls(fg_engine *engine)
{
    fg_image input = pixels(33, 21, FG_RGBA8, 0), output = pixels(33, 21, FG_RGBA8, 0);
    const char *text = "blur(3px)";
    fg_plan_options good = {.struct_size = sizeof good, .input = &input};
    fg_plan *plan = NULL;
    EXPECT(!fg_plan_create(engine, &text, 1, &good, &plan, NULL, 0));
    for (int turn = 0; turn < 4000; turn++) {
        char error[64];
        fg_image a = input, b = output;
        fg_image *wrong = chance(2) ? &a : &b;
        switch (chance(9)) {
        case 0: wrong->struct_size = (size_t)number(); break;
        case 1: wrong->width = number(); break;
        case 2: wrong->height = number(); break;
        /* A longer one would promise more memory than there is. */
        case 3: wrong->stride = number(); if (wrong->stride > 132) wrong->stride = 131; break;
        case 4: wrong->format = (int32_t)number(); break;
        case 5: wrong->alpha = (int32_t)number(); break;
        case 6: wrong->transfer = (int32_t)number(); break;
        /* Elsewhere in the memory there is less of it than the sizes promise. */
        case 7: wrong->data = chance(2) ? NULL : input.data; break;
        default: wrong->reserved = (int32_t)number(); break;
        }
        size_t count = chance(9) ? 1 : (size_t)number();
        fg_status status = fg_plan_run(plan, &a, &b, count, NULL, error, sizeof error);
        EXPECT(status == FG_OK || error[0]);
        fg_mask mask = {.struct_size = chance(5) ? sizeof mask : (size_t)number()};
        mask.regions = chance(2) ? "1,1,9,9" : chance(2) ? "nothing" : NULL;
        mask.feather = chance(4) ? NULL : chance(2) ? "1e300" : "-2";
        mask.use = (int32_t)(chance(3) ? chance(5) : number());
        mask.color = (int32_t)(chance(2) ? 0 : number());
        mask.channel = (int32_t)number();
        fg_image like = input;
        like.width = chance(3) ? number() : like.width;
        like.height = chance(3) ? number() : like.height;
        fg_plan_options options = {.struct_size = chance(9) ? sizeof options : (size_t)number()};
        options.input = chance(9) ? &like : NULL;
        options.mask = chance(2) ? &mask : NULL;
        options.edge = (int32_t)(chance(3) ? chance(4) : number());
        options.scale = chance(3) ? 0 : (double)number();
        fg_plan *made = NULL;
        const char *each = texts[chance(sizeof texts / sizeof *texts)];
        size_t filters = chance(9) ? 1 : 0;
        status = fg_plan_create(engine, &each, filters, &options, &made, error, chance(64));
        EXPECT((status == FG_OK) == (made != NULL));
        fg_plan_free(made);
        fg_plan *nobody = (fg_plan *)(uintptr_t)number();
        EXPECT(fg_plan_run(nobody, &input, &output, 1, NULL, error, sizeof error));
    }
    EXPECT(!fg_plan_free(plan));
    EXPECT(fg_plan_free(plan) == FG_BAD_HANDLE);
    free(input.data);
    free(output.data);
}

struct shared {
    fg_engine *engine;
    fg_plan *plan;
    fg_image input;
};

static int32_t tell(void *context, double done)
{
    return done > 0.5 && *(unsigned *)context % 4 == 0;
}

/* One of many that run one plan, free it, and make others. */
static void *worker(void *argument)
{
    struct shared *shared = argument;
    fg_image output = shared->input;
    output.data = malloc((size_t)(output.stride * output.height));
    char error[100];
    for (unsigned turn = 0; turn < 25; turn++) {
        fg_run_options run = {.struct_size = sizeof run, .progress = tell, .context = &turn};
        fg_status status =
            fg_plan_run(shared->plan, &shared->input, &output, 1, &run, error, sizeof error);
        EXPECT(status == FG_OK || status == FG_CANCELLED || status == FG_BAD_HANDLE);
        if (turn == 20) fg_plan_free(shared->plan);
        EXPECT(!fg_apply(shared->engine, "median(1) blur(2px)", &shared->input, &output, NULL, error,
            sizeof error));
    }
    free(output.data);
    return NULL;
}

static void manyThreads(void)
{
    struct shared shared = {.input = pixels(90, 60, FG_RGBA8, 0)};
    fg_engine_options options = {.struct_size = sizeof options, .threads = 3};
    EXPECT(!fg_engine_create(&options, &shared.engine, NULL, 0));
    const char *text = "blur(7px)";
    fg_plan_options planning = {.struct_size = sizeof planning, .input = &shared.input};
    EXPECT(!fg_plan_create(shared.engine, &text, 1, &planning, &shared.plan, NULL, 0));
    pthread_t threads[6];
    for (int i = 0; i < 6; i++) EXPECT(!pthread_create(threads + i, NULL, worker, &shared));
    for (int i = 0; i < 6; i++) pthread_join(threads[i], NULL);
    EXPECT(!fg_engine_free(shared.engine));
    free(shared.input.data);
}

/* Forks while another thread runs plans. */
static void forks(fg_engine *engine)
{
    struct shared shared = {.engine = engine, .input = pixels(80, 50, FG_RGBA8, 0)};
    const char *text = "blur(5px)";
    fg_plan_options planning = {.struct_size = sizeof planning, .input = &shared.input};
    EXPECT(!fg_plan_create(engine, &text, 1, &planning, &shared.plan, NULL, 0));
    pthread_t thread;
    EXPECT(!pthread_create(&thread, NULL, worker, &shared));
    for (int turn = 0; turn < 20; turn++) {
        pid_t child = fork();
        if (child == 0) {
            fg_image output = shared.input;
            output.data = malloc((size_t)(output.stride * output.height));
            fg_status status =
                fg_apply(engine, "blur(5px)", &shared.input, &output, NULL, NULL, 0);
            _exit(status);
        }
        int status = -1;
        EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    pthread_join(thread, NULL);
    fg_plan_free(shared.plan);
    free(shared.input.data);
}

int main(int count, char **arguments)
{
    state = 88172645463325252ull + (count > 1 ? strtoull(arguments[1], NULL, 10) : 0);
    fg_engine_options options = {.struct_size = sizeof options, .threads = 2, .memory_limit = 1 << 28};
    fg_engine *engine = NULL;
    EXPECT(!fg_engine_create(&options, &engine, NULL, 0));
    goodCalls(engine);
    badCalls(engine);
    manyThreads();
    forks(engine);
    size_t needed = 0;
    EXPECT(!fg_catalog_json(NULL, 0, &needed, NULL, 0));
    char *catalog = malloc(needed);
    for (size_t size = 0; size < needed; size += 997)
        EXPECT(fg_catalog_json(catalog, size, NULL, NULL, 0) == FG_BUFFER_TOO_SMALL);
    EXPECT(!fg_catalog_json(catalog, needed, NULL, NULL, 0));
    free(catalog);
    EXPECT(!fg_engine_free(engine));
    printf("%d failures\n", failures);
    return failures != 0;
}
