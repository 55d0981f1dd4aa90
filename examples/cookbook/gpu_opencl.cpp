// SPDX-License-Identifier: Apache-2.0
//
// Tasks whose work an OpenCL device does: they end when the device has.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <myr/myr.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using Block = std::vector<float>;

void check(cl_int status) {
  if (status != CL_SUCCESS) throw std::runtime_error("OpenCL: " + std::to_string(status));
}

struct Device {
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;  // in order
  cl_program program = nullptr;

  Device() {
    cl_platform_id platform = nullptr;
    cl_int status = clGetPlatformIDs(1, &platform, nullptr);
    check(status);
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr));
    context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &status);
    check(status);
    queue = clCreateCommandQueue(context, id, 0, &status);
    check(status);
    const char* source =
        "kernel void square(global float* x) { x[get_global_id(0)] *= x[get_global_id(0)]; }";
    program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    check(status);
    check(clBuildProgram(program, 1, &id, "", nullptr, nullptr));
  }
  ~Device() {
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
};

// Starts it, and returns at once; the task ends when the block is back.
void square_on(const Device& device, Block& block) {
  const std::size_t bytes = block.size() * sizeof(float);
  cl_int status = CL_SUCCESS;
  cl_mem memory = clCreateBuffer(device.context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  check(status);
  cl_kernel kernel = clCreateKernel(device.program, "square", &status);
  check(status);
  check(clSetKernelArg(kernel, 0, sizeof memory, &memory));
  cl_event done = nullptr;
  const std::size_t size = block.size();
  check(clEnqueueWriteBuffer(device.queue, memory, CL_FALSE, 0, bytes, block.data(), 0, nullptr,
                             nullptr));
  check(clEnqueueNDRangeKernel(device.queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr,
                               nullptr));
  check(clEnqueueReadBuffer(device.queue, memory, CL_FALSE, 0, bytes, block.data(), 0, nullptr,
                            &done));
  auto event = std::make_unique<myr::Event>(myr::Event::create());
  const auto complete = [](cl_event, cl_int how, void* given) {
    const std::unique_ptr<myr::Event> mine(static_cast<myr::Event*>(given));
    if (how == CL_COMPLETE) mine->complete();  // else it is destroyed, and its task has failed
  };
  check(clSetEventCallback(done, CL_COMPLETE, complete, event.get()));
  event.release();  // to the callback
  check(clFlush(device.queue));
  clReleaseEvent(done);
  clReleaseKernel(kernel);
  clReleaseMemObject(memory);
}

int main() {
  const Device device;
  std::vector<Block> blocks(16);
  double sum = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    myr::spawn([](Block& block, float value) { block.assign(1'000, value); }, myr::out(blocks[i]),
               static_cast<float>(i));
    myr::spawn([&device](Block& block) { square_on(device, block); }, myr::inout(blocks[i]));
    myr::spawn(
        [](const Block& block, double& s) {
          for (const float x : block) s += x;
        },
        myr::in(blocks[i]), myr::inout(sum));
  }
  myr::wait_all();
  std::printf("%.0f\n", sum);
}
