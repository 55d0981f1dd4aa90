// SPDX-License-Identifier: Apache-2.0
// Methods that lead into an object of which the task has a copy: only what is done with their
// result changes it. flags: -std=c++17
#include <string>
#include <vector>

struct Row {
  int cells[4];
  int& operator[](int i) { return cells[i]; }
  int& next() { return cells[position++]; }
  int position = 0;
};
struct Grid {
  int cells[4][4];
  int* operator[](int i) { return cells[i]; }
};
struct Rows {
  int** rows;
  int*& operator[](int i) { return rows[i]; }
};
void look(const int* row);
void fill(int* row);
void look(const std::string& text);
void set(char& to);

void read(std::string key, std::vector<int> v, Row row, Grid grid, int& sum) {
#pragma omp task inout(sum)
  {
    if (key[5] == 'x' || key.at(2) == 'y' || key.front() == *key.data()) sum += key.data()[3];
    for (const char& c : key) sum += c;
    look(key);
    look(v.data());
    look(grid[2]);
    const int& second = row[1];
    auto third = row[2];
    sum += v[3] + v.data()[4] + row[5] + grid[1][2] + second + third;
  }
}

void points_elsewhere(std::vector<int*> pointers, Rows rows) {
#pragma omp task
  {
    pointers[1][2] = 3;
    rows[1][2] = 3;
    fill(pointers[3]);
  }
}

void write(std::string key, std::string name, std::string word, std::vector<int> v,
           std::vector<int> w, std::vector<bool> bits, Row row, Grid grid) {
#pragma omp task
  {
    key[5] = 'c';
    char& first = name[0];
    first = 'd';
    set(word[2]);
    v[3] += 1;
    fill(w.data());
    bits[2] = true;
    row[1]++;
    grid[1][2] = 3;
  }
}

void write_elsewhere(std::string key, Row row, Grid grid, Rows rows, int& sum) {
#pragma omp task inout(sum)
  {
    key.data()[3] = 'c';
    sum += row.next();
    fill(grid[2]);
    rows[1] = nullptr;
    return;
  }
}
