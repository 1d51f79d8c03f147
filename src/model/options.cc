#include "options.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>

namespace tileguard {

std::vector<std::string> Options::GuardedScopes() const {
  std::vector<std::string> out;
  std::string scope;
  for (char c : guard_scopes + ",") {
    if (c == ',') {
      if (!scope.empty()) out.push_back(scope);
      scope.clear();
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      scope += c;
    }
  }
  return out;
}

const std::vector<OptionRow>& OptionTable() {
  static const std::vector<OptionRow> table = {
      {"budget_access", "int", "100000",
       "isl operations spent on one access before it is Unknown(Quota); 0 is no limit"},
      {"budget_searches", "int", "20000",
       "isl searches spent on one function before the rest is Unknown(Quota)"},
      {"hoist_guards", "bool", "true",
       "test what a serial loop does not change once, in front of it"},
      {"vector_tails", "bool", "true",
       "keep vectorized loops whose tests mention the lane: a full-vector body and a scalar tail"},
      {"guard_scopes", "str", "global", "storage scopes that get guards, separated by commas"},
  };
  return table;
}

std::string SetOption(Options* options, const std::string& name, const std::string& text) {
  auto natural = [&](int64_t* out) -> std::string {
    const bool digits =
        !text.empty() && text.size() <= 15 &&
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!digits) return "tileguard." + name + " must be a whole number >= 0, not '" + text + "'";
    *out = std::stoll(text);
    return "";
  };
  auto boolean = [&](bool* out) -> std::string {
    std::string word = text;
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool yes = word == "true" || word == "1";
    if (!yes && word != "false" && word != "0") {
      return "tileguard." + name + " must be true or false, not '" + text + "'";
    }
    *out = yes;
    return "";
  };
  if (name == "hoist_guards") return boolean(&options->hoist_guards);
  if (name == "vector_tails") return boolean(&options->vector_tails);
  if (name == "budget_access") return natural(&options->budget_access);
  if (name == "budget_searches") return natural(&options->budget_searches);
  if (name == "guard_scopes") {
    Options asked;
    asked.guard_scopes = text;
    const std::vector<std::string> scopes = asked.GuardedScopes();
    if (scopes.empty()) {
      return "tileguard.guard_scopes must name at least one storage scope, not '" + text + "'";
    }
    for (const std::string& scope : scopes) {
      const std::string kind = scope.substr(0, scope.find('.'));
      if (kind != "global" && kind != "shared" && kind != "local") {
        return "tileguard.guard_scopes must name storage scopes (global, shared, local), not '" +
               scope + "'";
      }
    }
    options->guard_scopes = text;
    return "";
  }
  return "there is no option tileguard." + name;
}

Options ReadOptions(
    const std::function<std::optional<std::string>(const std::string&)>& configured) {
  Options options;
  auto set = [&options](const std::string& name, const std::string& text) {
    const std::string error = SetOption(&options, name, text);
    if (!error.empty()) throw std::invalid_argument(error);
  };
  for (const OptionRow& row : OptionTable()) {
    std::string variable = std::string("TILEGUARD_") + row.name;
    std::transform(variable.begin(), variable.end(), variable.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (const char* text = std::getenv(variable.c_str())) set(row.name, text);
    if (const std::optional<std::string> text = configured(row.name)) set(row.name, *text);
  }
  return options;
}

}  // namespace tileguard
