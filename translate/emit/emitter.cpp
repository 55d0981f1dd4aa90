// SPDX-License-Identifier: Apache-2.0
//
// emit_c(): see emitter.hpp. All names that it adds begin with myrcc_.

#include "translate/emit/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "translate/emit/access_text.hpp"
#include "translate/emit/render.hpp"

namespace myr::translate {
namespace {

using Sharing = Variable::Sharing;

std::string quoted(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

std::string joined(const std::vector<std::string>& parts, std::string_view none = "") {
  return parts.empty() ? std::string(none) : fmt::format("{}", fmt::join(parts, ", "));
}

std::string field(const std::string& type, const std::string& name) {
  return fmt::format("  __typeof__({}) {};\n", type, name);
}

class Emitter {
 public:
  Emitter(const Source& source, const Reading& reading)
      : source_(source), reading_(reading), renderer_(source) {}

  std::string run() {
    for (const Pragma& pragma : reading_.pragmas) {
      if (pragma.kind == PragmaKind::Wait) continue;
      renderer_.replace(pragma.span, [this, &pragma](const Site*) { return lines(pragma.span); });
    }
    for (std::size_t i = 0; i < reading_.sites.size(); ++i) add_site(i);
    for (const Prototype& prototype : reading_.prototypes) {
      renderer_.replace({prototype.before, prototype.before}, [this, &prototype](const Site*) {
        return "\n" + prototype.text + at(prototype.before);
      });
    }
    bool first = true;
    for (const Enclosing* enclosing : enclosings_in_order()) {
      add_around(*enclosing, first);
      first = false;
    }
    renderer_.sort();
    return fmt::format("#line 1 {}\n", quoted(source_.path())) +
           renderer_.render({0, source_.text().size()}, nullptr);
  }

 private:
  // As many line ends as the span has.
  [[nodiscard]] std::string lines(Span span) const {
    const std::string_view text = source_.text(span);
    return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
  }
  // Makes the text that follows be at `offset` of the user's file, line and column.
  [[nodiscard]] std::string at(std::size_t offset) const {
    const Position position = source_.position(offset);
    return fmt::format("\n#line {} {}\n{}", position.line, quoted(source_.path()),
                       std::string(position.column - 1, ' '));
  }

  [[nodiscard]] std::vector<const Enclosing*> enclosings_in_order() const {
    std::vector<const Enclosing*> all;
    for (const Enclosing& enclosing : reading_.enclosings) all.push_back(&enclosing);
    std::sort(all.begin(), all.end(),
              [](const Enclosing* a, const Enclosing* b) { return a->before < b->before; });
    return all;
  }

  // The arguments that a site hands over: its accesses, then the variables of a block.
  [[nodiscard]] std::vector<std::string> handed(const Site& site, const Site* block) const {
    std::vector<std::string> all;
    if (!site.annotated) {
      for (const Access& access : site.accesses) {
        all.push_back(access_value(access, renderer_, block));
      }
    }
    if (site.through_pointer) all.push_back("(" + renderer_.render(site.callee, block) + ")");
    for (const Variable& variable : site.variables) {
      const std::string name = outer_name(variable, block);
      if (variable.sharing == Sharing::Private) continue;
      const bool address =
          variable.sharing == Sharing::Shared || variable.sharing == Sharing::CopyArray;
      all.push_back((address ? "&" : "") + name);
      std::string row = variable.array ? name + "[0]" : fmt::format("(*{})", name);
      for (std::size_t i = 0; i < variable.dimensions; ++i) {
        all.push_back(fmt::format("sizeof({0}) / sizeof({0}[0])", row));
        row += "[0]";
      }
    }
    return all;
  }

  static std::string outer_name(const Variable& variable, const Site* block) {
    if (block != nullptr) {
      for (const Variable& outer : block->variables) {
        if (outer.name == variable.name) return name_within(outer);
      }
    }
    return variable.name;
  }

  void add_site(std::size_t index) {
    const Site& site = reading_.sites[index];
    const std::string function = fmt::format("myrcc_spawn_{}", index);
    switch (site.kind) {
      case Site::Kind::Wait:
        renderer_.replace(site.pragma->span, [this, &site, index](const Site* block) {
          return fmt::format("myrcc_wait_{}({});", index, joined(handed(site, block))) +
                 lines(site.pragma->span);
        });
        break;
      case Site::Kind::Block:
        renderer_.replace(site.statement, [this, &site, function](const Site* block) {
          return fmt::format("{}({});", function, joined(handed(site, block))) +
                 lines(site.statement);
        });
        break;
      case Site::Kind::Call:
        renderer_.replace(site.callee, [function](const Site*) { return function; });
        renderer_.replace({site.arguments, site.arguments}, [this, &site](const Site* block) {
          const std::string more = joined(handed(site, block));
          return site.has_arguments && !more.empty() ? more + ", " : more;
        });
        break;
    }
  }

  void add_around(const Enclosing& enclosing, bool first) {
    renderer_.replace({enclosing.before, enclosing.before}, [this, &enclosing, first](const Site*) {
      std::string text = first ? "\n#include <myr/pragma.h>\n" : "\n";
      for (std::size_t i = 0; i < reading_.sites.size(); ++i) {
        if (reading_.sites[i].enclosing == &enclosing) text += before(i);
      }
      return text + at(enclosing.before);
    });
    renderer_.replace({enclosing.after, enclosing.after}, [this, &enclosing](const Site*) {
      std::string text;
      for (std::size_t i = 0; i < reading_.sites.size(); ++i) {
        const Site& site = reading_.sites[i];
        if (site.enclosing != &enclosing) continue;
        if (site.kind == Site::Kind::Call) text += call_run(i);
        if (site.kind == Site::Kind::Block) text += block_run(i);
      }
      return text.empty() ? "" : text + at(enclosing.after);
    });
  }

  [[nodiscard]] std::string site_text(const Site& site) const {
    const std::size_t place = site.annotated || site.kind == Site::Kind::Call
                                  ? site.statement.begin
                                  : site.pragma->span.begin;
    const Position at = source_.position(place);
    return fmt::format("  static const myr_site myrcc_site = {{{}, {}, {}, {}}};\n",
                       quoted(source_.path()), quoted(site.enclosing->name), at.line, at.column);
  }

  // What a site needs before the function around it.
  [[nodiscard]] std::string before(std::size_t index) const {
    const Site& site = reading_.sites[index];
    if (site.kind == Site::Kind::Wait) return wait_function(index);
    std::string text = fmt::format("struct myrcc_{} {{\n", index);
    text += site.kind == Site::Kind::Call ? call_fields(site) : block_fields(site);
    text += "};\n";
    text += fmt::format("static void myrcc_run_{}(void*, const myr_access*);\n", index);
    return text + spawn_function(index);
  }

  [[nodiscard]] std::vector<std::string> access_parameters(const Site& site) const {
    std::vector<std::string> all;
    if (site.annotated) return all;
    for (std::size_t i = 0; i < site.accesses.size(); ++i) {
      all.push_back(fmt::format("{} myrcc_m{}", access_type(site.accesses[i]), i));
    }
    return all;
  }

  // Within an annotated function's own names, the accesses can be computed there.
  [[nodiscard]] std::string access_locals(const Site& site) const {
    std::string text;
    if (!site.annotated) return text;
    for (std::size_t i = 0; i < site.accesses.size(); ++i) {
      text += fmt::format("  const {} myrcc_m{} = {};\n", access_type(site.accesses[i]), i,
                          access_value(site.accesses[i], renderer_, nullptr));
    }
    return text;
  }

  [[nodiscard]] std::string wait_function(std::size_t index) const {
    const Site& site = reading_.sites[index];
    std::string text = fmt::format("static inline void myrcc_wait_{}({}) {{\n", index,
                                   joined(access_parameters(site), "void"));
    text += site_text(site);
    if (site.accesses.empty()) return text + "  myr_wait_all_at(&myrcc_site);\n}\n";
    text += fmt::format("  const size_t myrcc_count = {};\n", access_count(site.accesses));
    text += "  myr_access myrcc_list[myrcc_count + 1];\n";
    text += "  myr_access* myrcc_next = myrcc_list;\n";
    text += put_accesses(site.accesses);
    return text + "  myr_wait_at(myrcc_list, (size_t)(myrcc_next - myrcc_list), &myrcc_site);\n}\n";
  }

  static std::string call_fields(const Site& site) {
    std::string text;
    if (site.through_pointer) text += fmt::format("  __typeof__({})* callee;\n", site.callee_type);
    for (std::size_t i = 0; i < site.parameters.size(); ++i) {
      text += field(site.parameters[i].type, fmt::format("a{}", i));
    }
    return text.empty() ? "  char none;\n" : text;
  }

  static std::string block_fields(const Site& site) {
    std::string text;
    for (const Variable& variable : site.variables) {
      switch (variable.sharing) {
        case Sharing::Copy:
        case Sharing::CopyArray:
          text += field(variable.stored, variable.name);
          break;
        case Sharing::Shared:
          text += fmt::format("  __typeof__({})* {};\n", variable.type, variable.name);
          break;
        case Sharing::Decayed:
          text += fmt::format("  const void* {};\n", variable.name);
          for (std::size_t i = 0; i < variable.dimensions; ++i) {
            text += fmt::format("  size_t {}_{};\n", variable.name, i);
          }
          break;
        case Sharing::Private:
          break;
      }
    }
    return text.empty() ? "  char none;\n" : text;
  }

  [[nodiscard]] std::string closure_local(std::size_t index, bool used) const {
    if (!used) return "  (void)myrcc_closure;\n  (void)myrcc_accesses;\n";
    return fmt::format(
        "  struct myrcc_{0}* const myrcc_c = (struct myrcc_{0}*)myrcc_closure;\n"
        "  (void)myrcc_accesses;\n",
        index);
  }

  static std::string run_head(std::size_t index) {
    return fmt::format(
        "static void myrcc_run_{}(void* myrcc_closure, const myr_access* myrcc_accesses) {{\n",
        index);
  }

  [[nodiscard]] std::string call_run(std::size_t index) const {
    const Site& site = reading_.sites[index];
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < site.parameters.size(); ++i) {
      arguments.push_back(fmt::format("myrcc_c->a{}", i));
    }
    const std::string callee =
        site.through_pointer ? "myrcc_c->callee" : std::string(source_.text(site.callee));
    return "\n" + run_head(index) +
           closure_local(index, site.through_pointer || !arguments.empty()) +
           fmt::format("  (void){}({});\n}}", callee, joined(arguments));
  }

  [[nodiscard]] std::string spawn_function(std::size_t index) const {
    const Site& site = reading_.sites[index];
    std::vector<std::string> parameters = access_parameters(site);
    std::string copies;
    if (site.kind == Site::Kind::Call) {
      call_parameters(site, parameters, copies);
    } else {
      block_parameters(site, parameters, copies);
    }
    std::string text = fmt::format("static inline void myrcc_spawn_{}({}) {{\n", index,
                                   joined(parameters, "void"));
    text += site_text(site) + access_locals(site);
    text += fmt::format("  const myr_draft myrcc_draft = myr_draft_new(sizeof(struct myrcc_{}), {});\n",
                        index, access_count(site.accesses));
    if (!copies.empty()) {
      text += fmt::format(
          "  struct myrcc_{0}* const myrcc_c = (struct myrcc_{0}*)myrcc_draft.closure;\n", index);
    }
    if (!site.accesses.empty()) text += "  myr_access* myrcc_next = myrcc_draft.accesses;\n";
    text += put_accesses(site.accesses) + copies;
    return text + fmt::format("  myr_submit_at(myrcc_draft, myrcc_run_{}, &myrcc_site);\n}}\n", index);
  }

  static void call_parameters(const Site& site, std::vector<std::string>& parameters,
                              std::string& copies) {
    if (site.through_pointer) {
      parameters.push_back(fmt::format("__typeof__({})* myrcc_callee", site.callee_type));
      copies += "  myrcc_c->callee = myrcc_callee;\n";
    }
    for (std::size_t i = 0; i < site.parameters.size(); ++i) {
      const Parameter& parameter = site.parameters[i];
      if (site.signature.empty()) {
        parameters.push_back(fmt::format("__typeof__({}) {}", parameter.type, parameter.name));
      }
      copies += fmt::format("  myrcc_c->a{} = {};\n", i, parameter.name);
    }
    if (!site.signature.empty() && !site.parameters.empty()) parameters.push_back(site.signature);
  }

  static void block_parameters(const Site& site, std::vector<std::string>& parameters,
                               std::string& copies) {
    for (const Variable& variable : site.variables) {
      const std::string& name = variable.name;
      switch (variable.sharing) {
        case Sharing::Copy:
          parameters.push_back(fmt::format("__typeof__({}) myrcc_v_{}", variable.stored, name));
          break;
        case Sharing::CopyArray:
          parameters.push_back(fmt::format("const void* myrcc_v_{}", name));
          copies += fmt::format(
              "  __builtin_memcpy(&myrcc_c->{0}, myrcc_v_{0}, sizeof myrcc_c->{0});\n", name);
          continue;
        case Sharing::Shared:
          parameters.push_back(fmt::format("__typeof__({})* myrcc_v_{}", variable.type, name));
          break;
        case Sharing::Decayed:
          parameters.push_back(fmt::format("const void* myrcc_v_{}", name));
          for (std::size_t i = 0; i < variable.dimensions; ++i) {
            parameters.push_back(fmt::format("size_t myrcc_v_{}_{}", name, i));
            copies += fmt::format("  myrcc_c->{0}_{1} = myrcc_v_{0}_{1};\n", name, i);
          }
          break;
        case Sharing::Private:
          continue;
      }
      copies += fmt::format("  myrcc_c->{0} = myrcc_v_{0};\n", name);
    }
  }

  // The block as a function, behind the function around it.
  [[nodiscard]] std::string block_run(std::size_t index) const {
    const Site& site = reading_.sites[index];
    std::string locals;
    bool used = false;
    for (const Variable& variable : site.variables) {
      used = used || variable.sharing != Sharing::Private;
      locals += local(variable);
    }
    return "\n" + run_head(index) + closure_local(index, used) + locals +
           at(site.statement.begin) + renderer_.render(site.statement, &site) + "\n}";
  }

  static std::string local(const Variable& variable) {
    const std::string& name = variable.name;
    switch (variable.sharing) {
      case Sharing::Copy:
        return fmt::format("  __typeof__({1}) {0} = myrcc_c->{0};\n", name, variable.type);
      case Sharing::Private:
        return fmt::format("  __typeof__({}) {};\n", variable.type, name);
      case Sharing::Decayed: {
        std::string bounds;
        for (std::size_t i = 0; i < variable.dimensions; ++i) {
          bounds += fmt::format("[myrcc_c->{}_{}]", name, i);
        }
        return fmt::format("  __typeof__({0}) (*{1}){2} = (__typeof__({0}) (*){2})myrcc_c->{1};\n",
                           variable.stored, name, bounds);
      }
      default:
        return "";
    }
  }

  const Source& source_;
  const Reading& reading_;
  Renderer renderer_;
};

}  // namespace

std::string emit_c(const Source& source, const Reading& reading) {
  return Emitter(source, reading).run();
}

}  // namespace myr::translate
