// SPDX-License-Identifier: Apache-2.0
//
// What calls_unchecked.cpp calls: compiled without -fsanitize=thread.
int hidden_sum = 0;
void add_in_secret(int number);
void add_in_secret(int number) { hidden_sum += number; }
