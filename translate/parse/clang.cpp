// SPDX-License-Identifier: Apache-2.0
//
// The face over libclang: see clang.hpp.

#include "translate/parse/clang.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace myr::translate::clang {
namespace {

Severity severity_of(CXDiagnostic diagnostic) {
  switch (clang_getDiagnosticSeverity(diagnostic)) {
    case CXDiagnostic_Error:
    case CXDiagnostic_Fatal:
      return Severity::Error;
    case CXDiagnostic_Note:
      return Severity::Note;
    default:
      return Severity::Warning;
  }
}

CXIndex new_index() {
  CXIndexOptions options{};
  options.Size = sizeof options;
  options.StorePreamblesInMemory = 1;
  return clang_createIndexWithOptions(&options);
}

}  // namespace

Unit::Unit(std::vector<std::string> arguments, std::string path)
    : arguments_(std::move(arguments)), path_(std::move(path)), index_(new_index()) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // libclang reads files in a thread with a signal stack of its own, which sanitizers take for
  // theirs.
  clang_toggleCrashRecovery(0);
  setenv("LIBCLANG_NOTHREADS", "1", 1);
#endif
}

Unit::~Unit() {
  if (unit_ != nullptr) clang_disposeTranslationUnit(unit_);
  clang_disposeIndex(index_);
}

bool Unit::parse(const std::string& text) {
  CXUnsavedFile file{path_.c_str(), text.data(), text.size()};
  if (unit_ != nullptr) {
    return clang_reparseTranslationUnit(unit_, 1, &file, clang_defaultReparseOptions(unit_)) == 0;
  }
  std::vector<const char*> words;
  for (const std::string& argument : arguments_) words.push_back(argument.c_str());
  return clang_parseTranslationUnit2(
             index_, path_.c_str(), words.data(), static_cast<int>(words.size()), &file, 1,
             CXTranslationUnit_KeepGoing | CXTranslationUnit_DetailedPreprocessingRecord |
                 CXTranslationUnit_PrecompiledPreamble |
                 CXTranslationUnit_CreatePreambleOnFirstParse |
                 CXTranslationUnit_SkipFunctionBodies |
                 CXTranslationUnit_LimitSkipFunctionBodiesToPreamble,
             &unit_) == CXError_Success;
}

CXCursor Unit::root() const { return clang_getTranslationUnitCursor(unit_); }

bool Unit::is_main(CXFile file) const {
  return file != nullptr && clang_File_isEqual(file, clang_getFile(unit_, path_.c_str())) != 0;
}

std::vector<std::string> Unit::included() const {
  std::vector<CXFile> files;
  clang_getInclusions(
      unit_,
      [](CXFile file, CXSourceLocation*, unsigned, CXClientData data) {
        static_cast<std::vector<CXFile>*>(data)->push_back(file);
      },
      &files);
  std::vector<std::string> names;
  for (CXFile file : files) {
    if (!is_main(file)) names.push_back(take(clang_getFileName(file)));
  }
  return names;
}

std::vector<Span> Unit::skipped() const {
  std::vector<Span> spans;
  CXSourceRangeList* ranges = clang_getSkippedRanges(unit_, clang_getFile(unit_, path_.c_str()));
  for (unsigned i = 0; i < ranges->count; ++i) {
    unsigned begin = 0;
    unsigned end = 0;
    clang_getFileLocation(clang_getRangeStart(ranges->ranges[i]), nullptr, nullptr, nullptr,
                          &begin);
    clang_getFileLocation(clang_getRangeEnd(ranges->ranges[i]), nullptr, nullptr, nullptr, &end);
    spans.push_back({begin, end});
  }
  clang_disposeSourceRangeList(ranges);
  return spans;
}

namespace {

// Headers of the system use what GCC has and Clang does not: attributes, and built-in functions in
// the bodies of inline functions. The declarations stand all the same.
bool is_harmless(CXSourceLocation location, const std::string& text) {
  return clang_Location_isInSystemHeader(location) != 0 &&
         (text.find("attribute") != std::string::npos ||
          text.find("'__builtin_") != std::string::npos);
}

}  // namespace

std::vector<Message> Unit::errors() const {
  std::vector<Message> errors;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit_); ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit_, i);
    Message message{severity_of(diagnostic), std::nullopt,
                    take(clang_getDiagnosticSpelling(diagnostic))};
    CXFile file = nullptr;
    unsigned line = 0;
    unsigned offset = 0;
    const CXSourceLocation location = clang_getDiagnosticLocation(diagnostic);
    clang_getFileLocation(location, &file, &line, nullptr, &offset);
    if (is_harmless(location, message.text)) message.severity = Severity::Warning;
    if (is_main(file)) {
      message.offset = offset;
    } else if (file != nullptr) {
      message.text = fmt::format("{}:{}: {}", take(clang_getFileName(file)), line, message.text);
    }
    clang_disposeDiagnostic(diagnostic);
    if (message.severity == Severity::Error) errors.push_back(std::move(message));
  }
  return errors;
}

std::string take(CXString string) {
  const char* text = clang_getCString(string);
  std::string copy = text == nullptr ? "" : text;
  clang_disposeString(string);
  return copy;
}

std::string spelling(CXCursor cursor) { return take(clang_getCursorSpelling(cursor)); }
std::string spelling(CXType type) { return take(clang_getTypeSpelling(type)); }

namespace {

// clang_Location_isFromMainFile() says no for the arguments of macros, though they stand there.
std::optional<std::size_t> main_file_offset(CXSourceLocation location, CXCursor cursor) {
  CXFile file = nullptr;
  unsigned offset = 0;
  clang_getFileLocation(location, &file, nullptr, nullptr, &offset);
  if (file == nullptr) return std::nullopt;
  if (clang_Location_isFromMainFile(location) != 0) return offset;
  const CXTranslationUnit unit = clang_Cursor_getTranslationUnit(cursor);
  const std::string main = take(clang_getTranslationUnitSpelling(unit));
  if (clang_File_isEqual(file, clang_getFile(unit, main.c_str())) == 0) return std::nullopt;
  return offset;
}

// Whether a class is defined in the declaration of something else, as in `struct S { ... } s;`:
// Clang visits it by itself, and there again.
bool is_met_before(CXCursor cursor, CXCursor parent) {
  const bool is_class = cursor.kind == CXCursor_StructDecl || cursor.kind == CXCursor_ClassDecl ||
                        cursor.kind == CXCursor_UnionDecl;
  return is_class && (parent.kind == CXCursor_VarDecl || parent.kind == CXCursor_FieldDecl ||
                      parent.kind == CXCursor_TypedefDecl || parent.kind == CXCursor_TypeAliasDecl);
}

}  // namespace

std::optional<std::size_t> offset(CXCursor cursor) {
  return main_file_offset(clang_getCursorLocation(cursor), cursor);
}

std::optional<Span> extent(CXCursor cursor) {
  const CXSourceRange range = clang_getCursorExtent(cursor);
  auto begin = main_file_offset(clang_getRangeStart(range), cursor);
  auto end = main_file_offset(clang_getRangeEnd(range), cursor);
  if (!begin && cursor.kind == CXCursor_FunctionTemplate) {
    // One with "auto" parameters has no word "template", at which Clang says that others begin.
    const std::vector<CXCursor> below = children(cursor);
    const auto last = below.empty() ? std::nullopt : extent(below.back());
    begin = offset(cursor);
    if (last) end = last->end;
  }
  if (!begin || !end || *end < *begin) return std::nullopt;
  return Span{*begin, *end};
}

std::vector<CXCursor> children(CXCursor cursor) {
  std::vector<CXCursor> found;
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        static_cast<std::vector<CXCursor>*>(data)->push_back(child);
        return CXChildVisit_Continue;
      },
      &found);
  return found;
}

void walk(CXCursor cursor, const Visit& visit) {
  const Visit* callback = &visit;
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor parent, CXClientData data) {
        if (is_met_before(child, parent)) return CXChildVisit_Continue;
        const auto& call = **static_cast<const Visit**>(data);
        return call(child, parent) ? CXChildVisit_Recurse : CXChildVisit_Continue;
      },
      &callback);
}

bool same(CXCursor a, CXCursor b) {
  // For a statement, Clang also compares in which declaration it was visited, if it knows.
  const bool statement = clang_isStatement(a.kind) != 0 || clang_isExpression(a.kind) != 0;
  if (statement && a.kind == b.kind) return a.data[1] == b.data[1];
  return clang_equalCursors(a, b) != 0;
}
bool is_null(CXCursor cursor) { return clang_Cursor_isNull(cursor) != 0; }

CXCursor without_casts(CXCursor cursor) {
  while (cursor.kind == CXCursor_UnexposedExpr || cursor.kind == CXCursor_ParenExpr) {
    const std::vector<CXCursor> below = children(cursor);
    if (below.size() != 1) break;
    cursor = below.front();
  }
  return cursor;
}

}  // namespace myr::translate::clang
