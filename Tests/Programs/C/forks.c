/* The larger C library in forked processes: pixels in memory are blurred as in the parent, files are
 * refused where the parent has used them, and nothing waits for threads that are not there.
 *
 *     forks PICTURE
 */
#include <frostglass_files.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 300, HEIGHT = 200, COUNT = 4 * WIDTH * HEIGHT, FORKS = 100 };

static const char *const filters = "blur(9px) median(1)";
static unsigned char pixels[COUNT], expected[COUNT];
static fg_engine *engine;
static const char *picture;

static fg_status blur(unsigned char *result)
{
    char error[512];
    fg_image input = {.struct_size = sizeof input, .data = pixels, .width = WIDTH, .height = HEIGHT,
                      .format = FG_RGBA8};
    fg_image output = input;
    output.data = result;
    fg_status status = fg_apply(engine, filters, &input, &output, NULL, error, sizeof error);
    if (status) fprintf(stderr, "%s: %s\n", fg_status_name(status), error);
    return status;
}

/* A file is read, and its picture becomes bytes again. */
static fg_status codec(void)
{
    char error[512];
    fg_data *data = NULL;
    fg_picture *read = NULL;
    fg_encode_options png = {.struct_size = sizeof png, .format = "png"};
    fg_image image = {.struct_size = sizeof image};
    fg_status status = fg_decode_file(picture, NULL, &read, error, sizeof error);
    if (!status) status = fg_picture_image(read, &image, error, sizeof error);
    if (!status) status = fg_encode_bytes(&image, read, &png, &data, error, sizeof error);
    if (status && status != FG_UNAVAILABLE) fprintf(stderr, "%s: %s\n", fg_status_name(status), error);
    fg_data_free(data);
    fg_picture_free(read);
    return status;
}

/* 0 where pixels come out as they should, twice, as threads are started with the first. */
static int isWrong(void)
{
    static unsigned char result[COUNT];
    for (int time = 0; time < 2; time++) {
        memset(result, 0, sizeof result);
        if (blur(result) || memcmp(result, expected, sizeof result)) return 1;
    }
    return 0;
}

/* How many of some forked processes did not end well; `files` is what reading one has to say in them. */
static int failed(int forks, fg_status files)
{
    int count = 0;
    for (int number = 0; number < forks; number++) {
        pid_t child = fork();
        if (child == 0) {
            /* One that waits for a thread that it has not is ended, and so noticed. */
            alarm(60);
            if (isWrong()) _exit(1);
            _exit(codec() == files ? 0 : 2);
        }
        int status = -1;
        if (child < 0 || waitpid(child, &status, 0) != child || status) {
            fprintf(stderr, "process %d ended with status %d\n", number, status);
            count++;
        }
    }
    return count;
}

static volatile int isOver;

static void *blurOnAndOn(void *result)
{
    while (!isOver)
        if (blur(result) || memcmp(result, expected, COUNT)) return "a thread got something else";
    return NULL;
}

int main(int count, char **arguments)
{
    if (count != 2) return 64;
    picture = arguments[1];
    for (int i = 0; i < COUNT; i++) pixels[i] = i % 4 == 3 ? 255 : (unsigned char)(i * 37 ^ i >> 7);
    char error[512];
    fg_backend_options options = {.struct_size = sizeof options, .backend = FG_BACKEND_FAST, .threads = 3};
    if (fg_engine_create_on(&options, &engine, error, sizeof error) || blur(expected)) return 70;

    /* A parent that has read no file yet. */
    int failures = failed(3, FG_OK);
    if (codec()) return 70;
    static unsigned char result[COUNT];
    pthread_t thread;
    void *words = NULL;
    if (pthread_create(&thread, NULL, blurOnAndOn, result)) return 70;
    failures += failed(FORKS, FG_UNAVAILABLE);
    isOver = 1;
    pthread_join(thread, &words);
    if (words) fprintf(stderr, "%s\n", (char *)words);
    failures += isWrong() || codec() || words;
    if (!failures) printf("the same in %d processes\n", FORKS + 3);
    fg_engine_free(engine);
    return failures ? 1 : 0;
}
