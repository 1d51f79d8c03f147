// AnalyzeJSON agrees with what the pass does.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "kernel.h"

namespace tileguard {
namespace testing {
namespace {

using nlohmann::json;

json Analyze(const tvm::IRModule& module) { return json::parse(AnalyzeJSON(module)); }

json Accesses(const tvm::IRModule& module) {
  const json report = Analyze(module);
  return report.at("functions").at(0).at("accesses");
}

TEST(Report, HasTheSchema) {
  const json report = Analyze(Kernel(0, Shift).module);
  EXPECT_EQ(report.at("schema"), 1);
  ASSERT_EQ(report.at("functions").size(), 1U);
  const json& function = report.at("functions").at(0);
  EXPECT_EQ(function.at("name"), "main");
  EXPECT_GE(function.at("pass_ms").get<double>(), 0.0);
  ASSERT_EQ(function.at("accesses").size(), 2U);
  std::set<std::string> kinds;
  for (const json& access : function.at("accesses")) {
    kinds.insert(access.at("kind").get<std::string>());
    EXPECT_EQ(access.at("scope"), "global");
    EXPECT_EQ(access.at("dtype"), "float32");
    EXPECT_EQ(access.at("shape"), json({"n"}));
    EXPECT_TRUE(access.contains("location") && access.contains("id"));
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"load", "store"}));
}

TEST(Report, CountsTheComparisonsThatThePassAdds) {
  for (int64_t extent : {0, 100, 128, 129}) {
    for (const Kernel::Body& body : {Kernel::Body(StoreOne), Kernel::Body(Shift)}) {
      const Kernel k(extent, body);
      const json report = Analyze(k.module);
      const json& function = report.at("functions").at(0);
      const tvm::IRModule safe = transform::LegalizeSafeMemoryAccess()(k.module);
      size_t listed = 0;
      for (const json& access : function.at("accesses")) {
        listed += access.at("guards").size();
        EXPECT_EQ(access.at("guards").empty(), access.at("verdict") == "Proved");
      }
      EXPECT_EQ(function.at("guard_atoms").get<size_t>(), listed);
      EXPECT_EQ(Conjuncts(safe).size(), listed) << "extent " << extent;
      EXPECT_EQ(Equal(safe, k.module), listed == 0);
    }
  }
}

TEST(Report, AfterThePassEverythingIsProved) {
  const Kernel k(0, Shift);
  for (const json& access : Accesses(transform::LegalizeSafeMemoryAccess()(k.module))) {
    EXPECT_EQ(access.at("verdict"), "Proved");
    EXPECT_TRUE(access.at("counterexample").is_null());
    EXPECT_TRUE(access.at("safe_if").is_null());
  }
}

TEST(Report, CounterExampleReplays) {
  const json access = Accesses(Kernel(0, StoreOne).module).at(0);
  EXPECT_EQ(access.at("verdict"), "Guarded");
  EXPECT_TRUE(access.at("reason").is_null());
  const json& e = access.at("counterexample");
  const int64_t n = e.at("shapes").at("n").get<int64_t>();
  const int64_t i = e.at("loops").at("i").get<int64_t>();
  EXPECT_EQ(e.at("index").get<int64_t>(), i);
  EXPECT_EQ(e.at("extent").get<int64_t>(), n);
  EXPECT_EQ(e.at("dim"), 0);
  EXPECT_TRUE(0 <= i && i < 128 && n >= 0 && i >= n);
  EXPECT_EQ(access.at("safe_if"), "n >= 128");
}

TEST(Report, AlwaysOutside) {
  const json access =
      Accesses(Kernel(100,
                      [](const Kernel& self) {
                        return self.Store(self.i + 100, tvm::FloatImm(tvm::DataType::Float(32), 1));
                      })
                   .module)
          .at(0);
  EXPECT_EQ(access.at("verdict"), "OutOfBounds");
  EXPECT_TRUE(access.at("safe_if").is_null());
  EXPECT_GE(access.at("counterexample").at("index").get<int64_t>(), 100);
}

TEST(Report, QuotaIsUnknown) {
  // 2i < 2n says i < n to integers only: that takes a search, and none is allowed.
  const Kernel k(0, [](const Kernel& self) {
    return tvm::tirx::IfThenElse(self.i * 2 < self.n * 2, StoreOne(self), std::nullopt);
  });
  EXPECT_EQ(Accesses(k.module).at(0).at("verdict"), "Proved");
  WithConfig({{"tileguard.budget_searches", int64_t{0}}}, [&] {
    const json access = Accesses(k.module).at(0);
    EXPECT_EQ(access.at("verdict"), "Unknown");
    EXPECT_EQ(access.at("reason"), "Quota");
    EXPECT_FALSE(access.at("guards").empty());
  });
}

}  // namespace
}  // namespace testing
}  // namespace tileguard
