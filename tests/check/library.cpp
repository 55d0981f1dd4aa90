// SPDX-License-Identifier: Apache-2.0
// Calls of libraries that are not compiled for `myr check`, each of which uses memory that two
// tasks have not declared, and one writes: test_check.py runs each by its name.
#include <iconv.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <wchar.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <myr/myr.hpp>
#include <sstream>
#include <string>

namespace {

// All tasks use these.
int number;
long large;
double real;
char text[64] = "12 words, and 34 more";
wchar_t wide[64] = L"12 words, and 34 more";
char* end;
std::time_t now;
std::tm parts;
std::string words = "12 words, and 34 more";
std::string line;
FILE* file = std::tmpfile();

void write_file() {
  std::fputs("12 words, and 34 more\n", file);
  std::rewind(file);
}

using Calls = std::map<std::string, std::function<void()>>;
const Calls kWriters{
    {"frexp", [] { std::frexp(12.5, &number); }},
    {"modf", [] { modf(12.5, &real); }},
    {"remquo", [] { std::remquo(12.5, 3, &number); }},
    {"sincos",
     [] {
       double own;
       sincos(0.5 + number, &own, &real);
     }},
    {"sscanf", [] { std::sscanf("12 abc", "%d", &number); }},
    {"sscanf_text",
     [] {
       int own;
       std::sscanf("12 abc", "%*d %n%s", &own, text);
     }},
    {"sscanf_set", [] { std::sscanf("12 abc", "%*d %10[a-c]", text); }},
    {"sscanf_long",
     [] {
       int own;
       std::sscanf("12 15", "%d%ld", &own, &large);
     }},
    {"fscanf",
     [] {
       std::rewind(file);
       if (std::fscanf(file, "%d", &number) != 1) std::abort();
     }},
    {"strtol", [] { std::strtol("12 words", &end, 10); }},
    {"strtod", [] { std::strtod("12.5 words", &end); }},
    {"time", [] { std::time(&now); }},
    {"clock_gettime",
     [] {
       static timespec t;
       clock_gettime(CLOCK_MONOTONIC, &t);
     }},
    {"gettimeofday",
     [] {
       static timeval t;
       gettimeofday(&t, nullptr);
     }},
    {"localtime_r",
     [] {
       const std::time_t own = 0;
       localtime_r(&own, &parts);
     }},
    {"strftime",
     [] {
       std::tm own{};
       own.tm_mday = 1;
       std::strftime(text, 60, "%Y-%m-%d", &own);
     }},
    {"getline",
     [] {
       std::rewind(file);
       char* own = nullptr;
       static std::size_t room;
       if (getline(&own, &room, file) < 0) std::abort();
       std::free(own);
     }},
    {"strtok_r",
     [] {
       char own[] = "a b";
       strtok_r(own, " ", &end);
     }},
    {"strcat", [] { std::strcat(text, line.c_str()); }},
    {"snprintf", [] { std::snprintf(text, sizeof text, "%d", 12); }},
    {"printf_n", [] { std::printf("12%n\n", &number); }},
    {"wmemcpy", [] { wmemcpy(wide, L"two words", 9); }},
    {"wcscpy", [] { wcscpy(wide, L"two words"); }},
    {"swprintf", [] { swprintf(wide, 60, L"%d words", 2); }},
    {"mbstowcs",
     [] {
       if (std::mbstowcs(wide, "words", 60) != 5) std::abort();
     }},
    {"iconv",
     [] {
       char own[] = "words";
       char* from = own;
       char* to = text;
       std::size_t left = 5;
       std::size_t room = 60;
       const iconv_t way = iconv_open("UTF-16LE", "UTF-8");
       iconv(way, &from, &left, &to, &room);
       iconv_close(way);
     }},
    {"stat",
     [] {
       static struct stat answer;
       stat("/", &answer);
     }},
    {"getcwd",
     [] {
       static char path[4096];
       if (getcwd(path, sizeof path) == nullptr) std::abort();
     }},
    {"string_append", [] { words.append("a"); }},
    {"string_push_back", [] { words.push_back('a'); }},
    {"string_assign", [] { words = "another text that is longer"; }},
    {"string_replace", [] { words.replace(0, 2, "x"); }},
    {"string_resize", [] { words.resize(5, 'x'); }},
    {"stream_number", [] { std::istringstream("12") >> number; }},
    {"stream_long", [] { std::istringstream("12") >> large; }},
    {"stream_real", [] { std::istringstream("12.5") >> real; }},
    {"stream_character", [] { std::istringstream("x") >> text[3]; }},
    {"stream_words", [] { std::istringstream("word") >> line; }},
    {"stream_line",
     [] {
       std::istringstream in("word");
       std::getline(in, line);
     }},
    {"stream_read", [] { std::istringstream("word").read(text, 4); }},
    {"stream_get", [] { std::istringstream("word").get(text[1]); }},
};

// What these read, another task writes.
const Calls kReaders{
    {"strchr",
     [] {
       if (std::strchr(text, number + 'w') == nullptr) std::abort();
     }},
    {"strstr",
     [] {
       if (std::strstr(text, "words") == nullptr) std::abort();
     }},
    {"memchr",
     [] {
       if (std::memchr(text, number + 'w', 10) == nullptr) std::abort();
     }},
    {"wcslen",
     [] {
       if (wcslen(wide) == 0) std::abort();
     }},
    {"printf", [] { std::printf("<%s>\n", text); }},
    {"printf_more", [] { std::printf("%d %5.2f %ld %.*s\n", 1, 2.5, 3L, 4, text); }},
    {"puts", [] { std::puts(text); }},
    {"atoi",
     [] {
       if (std::atoi(text) != 12) std::abort();
     }},
    {"string_find",
     [] {
       if (words.find("more") == words.npos) std::abort();
     }},
    {"string_find_character",
     [] {
       if (words.find('m') == words.npos) std::abort();
     }},
    {"string_rfind",
     [] {
       if (words.rfind('1') == words.npos) std::abort();
     }},
    {"string_find_first_of",
     [] {
       if (words.find_first_of("xyzw") == words.npos) std::abort();
     }},
    {"string_compare",
     [] {
       if (words.compare("more") > 0) std::abort();
     }},
    {"stream_text", [] { std::cout << text << '\n'; }},
    {"stream_string", [] { std::cout << words << '\n'; }},
};

}  // namespace

int main(int argc, char** argv) {
  write_file();
  for (const Calls* const calls : {&kWriters, &kReaders}) {
    for (const auto& [name, call] : *calls) {
      if (argc < 2) std::puts(name.c_str());
      if (argc < 2 || name != argv[1]) continue;
      const auto write_all = [] {
        for (char& one : text) one = one == 0 ? one : 'w';
        wide[0] = 'w';
        words[0] = 'w';
      };
      myr::spawn([&run = call] { run(); });
      if (calls == &kReaders) myr::spawn(write_all);
      if (calls == &kWriters) myr::spawn([&run = call] { run(); });
      myr::wait_all();
    }
  }
}
