// The options, in one table: pass-config key `tileguard.x`, environment variable TILEGUARD_X, flag
// --x.
#ifndef TILEGUARD_MODEL_OPTIONS_H_
#define TILEGUARD_MODEL_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tileguard {

/*! \brief Values of all options, defaults in place. */
struct Options {
  int64_t budget_access = 100000;
  int64_t budget_searches = 20000;
  std::string guard_scopes = "global";
  bool hoist_guards = true;
  bool vector_tails = true;
  bool disabled = false;
  bool warnings = true;

  /*! \brief guard_scopes split at commas, spaces dropped. */
  std::vector<std::string> GuardedScopes() const;
};

/*! \brief One row of the table. `type` is "int", "bool" or "str". */
struct OptionRow {
  const char* name;
  const char* type;
  const char* default_text;
  const char* help;
};

const std::vector<OptionRow>& OptionTable();

/*!
 * \brief Sets option `name` from `text`.
 * \return an error sentence, empty when the text is a value of the option's type.
 */
std::string SetOption(Options* options, const std::string& name, const std::string& text);

/*!
 * \brief Defaults, then the environment, then `configured(name)`.
 * \param configured the pass configuration; nullopt when a key is not set.
 * \throws std::invalid_argument naming the option and the value that does not fit.
 */
Options ReadOptions(
    const std::function<std::optional<std::string>(const std::string&)>& configured);

}  // namespace tileguard

#endif  // TILEGUARD_MODEL_OPTIONS_H_
