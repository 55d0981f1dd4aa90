// SPDX-License-Identifier: Apache-2.0
//
// Sockets: a task is open until its answer has come, and keeps no worker meanwhile.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <myr/myr.hpp>
#include <thread>
#include <utility>
#include <vector>

struct Request {
  int socket = -1;
  int* answer = nullptr;
  myr::Event done;  // of the task that has asked
};

// One thread that waits for all sockets. What it is told goes through a pipe.
class Poller {
 public:
  Poller() {
    if (pipe(pipe_.data()) != 0) std::abort();
    thread_ = std::thread([this] { run(); });
  }
  ~Poller() {
    Request* const end = nullptr;
    tell(end);
    thread_.join();
    for (const int end_of_pipe : pipe_) close(end_of_pipe);
  }
  // Any thread. Reads a number from the socket, then completes the event.
  void read_number(int socket, int* answer, myr::Event done) {
    tell(new Request{socket, answer, std::move(done)});
  }

 private:
  void tell(Request* request) {
    if (write(pipe_[1], &request, sizeof request) != sizeof request) std::abort();
  }
  void run() {
    std::vector<pollfd> waited{{pipe_[0], POLLIN, 0}};
    std::vector<Request*> requests{nullptr};
    for (;;) {
      poll(waited.data(), waited.size(), -1);
      for (std::size_t i = waited.size(); i-- > 1;) {
        if (waited[i].revents == 0) continue;
        if (read(waited[i].fd, requests[i]->answer, sizeof(int)) == sizeof(int)) {
          requests[i]->done.complete();
        }
        delete requests[i];  // without an answer the event, and with it the task, has failed
        waited.erase(waited.begin() + static_cast<std::ptrdiff_t>(i));
        requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (waited[0].revents == 0) continue;
      Request* request = nullptr;
      if (read(pipe_[0], &request, sizeof request) != sizeof request || !request) return;
      waited.push_back({request->socket, POLLIN, 0});
      requests.push_back(request);
    }
  }

  std::array<int, 2> pipe_{};
  std::thread thread_;
};

// The other side: answers each number n by n * n.
void serve(int socket) {
  int number = 0;
  while (read(socket, &number, sizeof number) == sizeof number) {
    number *= number;
    if (write(socket, &number, sizeof number) != sizeof number) return;
  }
}

int main() {
  constexpr std::size_t kServers = 4;
  std::array<std::array<int, 2>, kServers> sockets{};
  std::vector<std::thread> servers;
  for (auto& pair : sockets) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) != 0) return 1;
    servers.emplace_back(serve, pair[1]);
  }
  Poller poller;
  std::array<int, kServers> answers{};
  int total = 0;
  for (int number = 0; number < 100; ++number) {
    const std::size_t server = static_cast<std::size_t>(number) % kServers;
    const int socket = sockets[server][0];
    myr::spawn(
        [&poller, socket, number](int& answer) {
          if (write(socket, &number, sizeof number) != sizeof number) std::abort();
          poller.read_number(socket, &answer, myr::Event::create());
        },  // its worker is free; the task ends when the event is complete
        myr::inout(answers[server]));
    myr::spawn([](const int& answer, int& sum) { sum += answer; }, myr::in(answers[server]),
               myr::inout(total));
  }
  myr::wait_all();
  std::printf("%d\n", total);
  for (const auto& pair : sockets) shutdown(pair[0], SHUT_RDWR);
  for (std::thread& server : servers) server.join();
}
