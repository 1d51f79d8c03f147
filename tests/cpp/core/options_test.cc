// The option table, and sentences for what does not fit it.
#include "model/options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>

#include "model/access.h"

namespace tileguard {
namespace testing {
namespace {

/*! \brief An environment variable for the time of one scope. */
class Environment {
 public:
  Environment(const std::string& name, const std::string& value) : name_(name) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() { unsetenv(name_.c_str()); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::string name_;
};

Options Read(const std::map<std::string, std::string>& configured) {
  return ReadOptions([&](const std::string& name) -> std::optional<std::string> {
    const auto found = configured.find(name);
    if (found == configured.end()) return std::nullopt;
    return found->second;
  });
}

std::string ErrorOf(const std::map<std::string, std::string>& configured) {
  try {
    Read(configured);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// Every row's default, set, leaves the defaults as they are: table and struct agree.
TEST(Options, TableMatchesTheDefaults) {
  const Options defaults;
  std::set<std::string> names;
  for (const OptionRow& row : OptionTable()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(std::string(row.help), "") << row.name;
    EXPECT_EQ(std::set<std::string>({"int", "bool", "str"}).count(row.type), 1U) << row.type;
    Options options;
    EXPECT_EQ(SetOption(&options, row.name, row.default_text), "") << row.name;
    EXPECT_EQ(options.budget_access, defaults.budget_access);
    EXPECT_EQ(options.budget_searches, defaults.budget_searches);
    EXPECT_EQ(options.guard_scopes, defaults.guard_scopes);
    EXPECT_EQ(options.hoist_guards, defaults.hoist_guards);
    EXPECT_EQ(options.vector_tails, defaults.vector_tails);
  }
  EXPECT_GT(defaults.budget_access, 0) << "every budget is finite";
  EXPECT_GT(defaults.budget_searches, 0) << "every budget is finite";
}

TEST(Options, EveryRowCanBeSetAndRefusesWhatDoesNotFit) {
  for (const OptionRow& row : OptionTable()) {
    Options options;
    const std::string type = row.type;
    const std::vector<std::string> good =
        type == "int"    ? std::vector<std::string>{"0", "7", "999999999999999"}
        : type == "bool" ? std::vector<std::string>{"true", "False", "1", "0"}
                         : std::vector<std::string>{"global,shared", "shared.dyn"};
    for (const std::string& text : good) EXPECT_EQ(SetOption(&options, row.name, text), "");
    for (const std::string text :
         {"", "-1", "yes", "1.5", "gobal", "9999999999999999999", "0x10"}) {
      const std::string error = SetOption(&options, row.name, text);
      EXPECT_NE(error.find(row.name), std::string::npos) << row.name << " = " << text;
      EXPECT_NE(error.find("'" + text + "'"), std::string::npos) << error;
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
  }
  Options options;
  EXPECT_NE(SetOption(&options, "speed", "1").find("tileguard.speed"), std::string::npos);
}

TEST(Options, ValuesArrive) {
  const Options o = Read({{"budget_access", "12"},
                          {"budget_searches", "34"},
                          {"hoist_guards", "0"},
                          {"vector_tails", "false"},
                          {"guard_scopes", " global , shared,,"}});
  EXPECT_EQ(o.budget_access, 12);
  EXPECT_EQ(o.budget_searches, 34);
  EXPECT_FALSE(o.hoist_guards);
  EXPECT_FALSE(o.vector_tails);
  EXPECT_EQ(o.GuardedScopes(), (std::vector<std::string>{"global", "shared"}));
}

TEST(Options, ConfigurationGoesBeforeEnvironmentBeforeDefault) {
  EXPECT_EQ(Read({}).budget_access, Options().budget_access);
  const Environment access("TILEGUARD_BUDGET_ACCESS", "5");
  const Environment tails("TILEGUARD_VECTOR_TAILS", "0");
  EXPECT_EQ(Read({}).budget_access, 5);
  EXPECT_FALSE(Read({}).vector_tails);
  EXPECT_EQ(Read({{"budget_access", "6"}}).budget_access, 6);
  EXPECT_TRUE(Read({{"vector_tails", "1"}}).vector_tails);
}

TEST(Options, BadValuesAreOneSentence) {
  EXPECT_EQ(ErrorOf({{"budget_access", "lots"}}),
            "tileguard.budget_access must be a whole number >= 0, not 'lots'");
  const Environment hoist("TILEGUARD_HOIST_GUARDS", "maybe");
  EXPECT_EQ(ErrorOf({}), "tileguard.hoist_guards must be true or false, not 'maybe'");
  const Environment sane("TILEGUARD_HOIST_GUARDS", "TRUE");
  EXPECT_EQ(ErrorOf({{"guard_scopes", "global,shard"}}),
            "tileguard.guard_scopes must name storage scopes (global, shared, local), not 'shard'");
  EXPECT_EQ(ErrorOf({{"guard_scopes", " , "}}),
            "tileguard.guard_scopes must name at least one storage scope, not ' , '");
}

TEST(Decision, LanesAgreeWhenEveryAtomIsUniform) {
  Decision decision;
  EXPECT_TRUE(decision.LanesAgree());
  EXPECT_FALSE(decision.NeedsGuard());
  decision.atoms.push_back({0, true, LaneChoice::kFirst, true, false, false});
  EXPECT_TRUE(decision.LanesAgree());
  EXPECT_TRUE(decision.NeedsGuard());
  decision.atoms.push_back({0, false, LaneChoice::kLast, false, false, false});
  EXPECT_FALSE(decision.LanesAgree());
}

// The words of the report are those of spec.md.
TEST(Words, VerdictsAndReasons) {
  const std::vector<std::pair<Verdict, const char*>> verdicts{
      {Verdict::kProved, "Proved"},
      {Verdict::kGuarded, "Guarded"},
      {Verdict::kOutOfBounds, "OutOfBounds"},
      {Verdict::kUnknown, "Unknown"}};
  for (const auto& [verdict, word] : verdicts) EXPECT_STREQ(ToString(verdict), word);
  const std::vector<std::pair<UnknownReason, const char*>> reasons{
      {UnknownReason::kNonAffine, "NonAffine"},
      {UnknownReason::kQuota, "Quota"},
      {UnknownReason::kUnsupported, "Unsupported"},
      {UnknownReason::kMayOverflow, "MayOverflow"}};
  for (const auto& [reason, word] : reasons) EXPECT_STREQ(ToString(reason), word);
  std::set<std::string> kinds;
  for (AccessKind kind : {AccessKind::kLoad, AccessKind::kStore, AccessKind::kAtomic,
                          AccessKind::kCopyAsync, AccessKind::kPointer}) {
    EXPECT_TRUE(kinds.insert(ToString(kind)).second) << "two kinds share a word";
  }
}

}  // namespace
}  // namespace testing
}  // namespace tileguard
