// Frostglass from C++: RAII handles, exceptions, and one plan for many images
// and threads.
//
//     c++ -std=c++17 thumbnails.cpp $(pkg-config --cflags --libs frostglass) -pthread -o thumbnails
#include <frostglass.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Free {
    void operator()(fg_engine *engine) const { fg_engine_free(engine); }
    void operator()(fg_plan *plan) const { fg_plan_free(plan); }
};
using Engine = std::unique_ptr<fg_engine, Free>;
using Plan = std::unique_ptr<fg_plan, Free>;

// Throws the error of a call.
template <typename Call> void checked(Call call)
{
    char error[256];
    if (fg_status status = call(error, sizeof error))
        throw std::runtime_error(std::string(fg_status_name(status)) + ": " + error);
}

Engine makeEngine()
{
    fg_engine *engine = nullptr;
    checked([&](char *error, size_t size) {
        return fg_engine_create(nullptr, &engine, error, size);
    });
    return Engine(engine);
}

struct Picture {
    std::vector<std::uint8_t> bytes;
    fg_image image{};

    Picture(std::int64_t width, std::int64_t height) : bytes(std::size_t(width * height * 4))
    {
        image.struct_size = sizeof image;
        image.data = bytes.data();
        image.width = width;
        image.height = height;
        image.format = FG_RGBA8;
    }
};

// A plan for pictures like this one with a result for each text.
Plan makePlan(const Engine &engine, const Picture &like, const std::vector<const char *> &filters)
{
    fg_plan_options options{};
    options.struct_size = sizeof options;
    options.input = &like.image;
    fg_plan *plan = nullptr;
    checked([&](char *error, size_t size) {
        return fg_plan_create(
            engine.get(), filters.data(), filters.size(), &options, &plan, error, size);
    });
    return Plan(plan);
}

} // namespace

int main()
{
    try {
        Engine engine = makeEngine();
        Picture like(320, 200);
        Plan plan = makePlan(engine, like, {"blur(4px)", "blur(4px) grayscale(1)"});

        // Each thread has pictures of its own; the plan is everybody's.
        std::vector<std::string> failures(4);
        std::vector<std::thread> threads;
        for (std::size_t number = 0; number < failures.size(); ++number)
            threads.emplace_back([&plan, &failures, number] {
                try {
                    Picture input(320, 200), sharp(320, 200), gray(320, 200);
                    for (std::size_t index = 0; index < input.bytes.size(); ++index)
                        input.bytes[index] = index % 4 == 3 ? 255 : std::uint8_t(40 * number);
                    fg_image outputs[] = {sharp.image, gray.image};
                    checked([&](char *error, size_t size) {
                        return fg_plan_run(
                            plan.get(), &input.image, outputs, 2, nullptr, error, size);
                    });
                    // One color stays what it is.
                    if (sharp.bytes != input.bytes || gray.bytes != input.bytes)
                        throw std::runtime_error("a constant picture has changed");
                } catch (const std::exception &error) {
                    failures[number] = error.what();
                }
            });
        for (auto &thread : threads) thread.join();
        for (auto &failure : failures)
            if (!failure.empty()) throw std::runtime_error(failure);
        std::cout << "4 images, 2 results each\n";

        // What is wrong is said in words.
        makePlan(engine, like, {"blurr(4px)"});
    } catch (const std::exception &error) {
        std::cout << error.what() << "\n";
        return 0;
    }
    return 1;
}
