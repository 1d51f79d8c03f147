// The pass from C++, by the public header alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "kernel.h"

namespace tileguard {
namespace testing {
namespace {

using tvm::IRModule;
using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

IRModule Legalize(const IRModule& module) { return transform::LegalizeSafeMemoryAccess()(module); }

const IfThenElseNode* IfOf(const IRModule& module) {
  const IfThenElseNode* found = nullptr;
  PostOrderVisit(Main(module)->body, [&](const tvm::ffi::ObjectRef& node) {
    if (const auto* branch = node.as<IfThenElseNode>()) found = branch;
  });
  return found;
}

TEST(Pass, StoreGetsTheRightCondition) {
  const Kernel k(0, StoreOne);
  const IRModule safe = Legalize(k.module);
  const IfThenElseNode* guard = IfOf(safe);
  ASSERT_NE(guard, nullptr);
  EXPECT_FALSE(guard->else_case.defined());
  EXPECT_NE(guard->then_case.as<BufferStoreNode>(), nullptr);
  for (int64_t n : {0, 1, 5, 127, 128, 129}) {
    for (int64_t i = 0; i < 128; ++i) {
      EXPECT_EQ(Holds(k, guard->condition, n, i), i < n) << "i = " << i << ", n = " << n;
    }
  }
  EXPECT_EQ(Conjuncts(safe).size(), 1U) << "0 <= i is known";
}

TEST(Pass, LoadYieldsTheSafeValue) {
  const Kernel k(0, Shift);
  const IRModule safe = Legalize(k.module);
  std::vector<const CallNode*> choices;
  PostOrderVisit(Main(safe)->body, [&](const tvm::ffi::ObjectRef& node) {
    const auto* call = node.as<CallNode>();
    if (call != nullptr && call->op.same_as(builtin::if_then_else())) choices.push_back(call);
  });
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_NE(choices[0]->args[1].as<BufferLoadNode>(), nullptr);
  const auto* zero = choices[0]->args[2].as<tvm::FloatImmNode>();
  ASSERT_NE(zero, nullptr);
  EXPECT_EQ(zero->value, 0.0);
  EXPECT_EQ(zero->dtype, tvm::DataType::Float(32));
  for (int64_t n : {0, 1, 5, 128, 129}) {
    for (int64_t i = 0; i < 128; ++i) {
      // The store's own guard, i < n, stands around it.
      if (i >= n) continue;
      EXPECT_EQ(Holds(k, choices[0]->args[0], n, i), i + 1 < n) << "i = " << i << ", n = " << n;
    }
  }
}

TEST(Pass, LowerBoundIsGuardedWhereItCanFail) {
  const Kernel k(0, [](const Kernel& self) {
    return self.Store(self.i - 3, tvm::FloatImm(tvm::DataType::Float(32), 1));
  });
  const IRModule safe = Legalize(k.module);
  ASSERT_EQ(Conjuncts(safe).size(), 2U);
  const IfThenElseNode* guard = IfOf(safe);
  ASSERT_NE(guard, nullptr);
  for (int64_t n : {0, 4, 125, 200}) {
    for (int64_t i = 0; i < 128; ++i) {
      EXPECT_EQ(Holds(k, guard->condition, n, i), i >= 3 && i - 3 < n);
    }
  }
}

TEST(Pass, TwiceEqualsOnce) {
  for (const Kernel::Body& body : {Kernel::Body(StoreOne), Kernel::Body(Shift)}) {
    const Kernel k(0, body);
    const IRModule once = Legalize(k.module);
    EXPECT_FALSE(Equal(once, k.module));
    EXPECT_TRUE(Equal(Legalize(once), once));
  }
}

TEST(Pass, ProvedModuleComesBackTheSame) {
  const Kernel k(128, StoreOne);
  EXPECT_TRUE(Equal(Legalize(k.module), k.module));
  // What the author guards needs no second guard.
  const Kernel guarded(0, [](const Kernel& self) {
    return IfThenElse(LT(self.i, self.n), StoreOne(self), std::nullopt);
  });
  EXPECT_TRUE(Equal(Legalize(guarded.module), guarded.module));
}

TEST(Pass, TheInputIsNotTouched) {
  const Kernel k(0, StoreOne);
  const PrimFunc before = Main(k.module);
  Legalize(k.module);
  EXPECT_TRUE(Main(k.module).same_as(before));
  EXPECT_TRUE(Conjuncts(k.module).empty());
}

TEST(Pass, CanBeTurnedOff) {
  const Kernel k(0, StoreOne);
  WithConfig({{"tl.disable_safe_memory_legalize", true}},
             [&] { EXPECT_TRUE(Equal(Legalize(k.module), k.module)); });
  WithConfig({{"tileguard.guard_scopes", tvm::ffi::String("shared")}},
             [&] { EXPECT_TRUE(Equal(Legalize(k.module), k.module)); });
}

TEST(Pass, AnOptionThatDoesNotFitIsOneSentence) {
  const Kernel k(0, StoreOne);
  WithConfig({{"tileguard.budget_access", int64_t{-1}}}, [&] {
    try {
      Legalize(k.module);
      ADD_FAILURE() << "accepted";
    } catch (const tvm::ffi::Error& error) {
      EXPECT_EQ(error.kind(), "ValueError");
      EXPECT_EQ(std::string(error.message()),
                "TileGuard: tileguard.budget_access must be a whole number >= 0, not '-1'");
    }
  });
}

// A budget that allows nothing ends in a guard, not in trust.
TEST(Pass, WithoutBudgetEveryBoundIsGuarded) {
  const Kernel k(0, StoreOne);
  WithConfig({{"tileguard.budget_searches", int64_t{0}}}, [&] {
    const IRModule safe = Legalize(k.module);
    const IfThenElseNode* guard = IfOf(safe);
    ASSERT_NE(guard, nullptr);
    for (int64_t i = 0; i < 128; ++i) EXPECT_EQ(Holds(k, guard->condition, 64, i), i < 64);
  });
}

std::vector<std::pair<std::string, int64_t>> InBounds(
    std::vector<std::pair<std::string, int64_t>> stores, int64_t extent) {
  stores.erase(std::remove_if(stores.begin(), stores.end(),
                              [&](const auto& s) { return s.second < 0 || s.second >= extent; }),
               stores.end());
  return stores;
}

tvm::PrimExpr Int(int64_t value) { return tvm::IntImm(tvm::DataType::Int(32), value); }

// for j in range(3): for v in vectorized(4) around a store whose conditions, the author's and ours,
// mention v: every store in bounds happens as before, and no other.
TEST(Pass, VectorLoopsStoreWhatTheyStoredBefore) {
  using Condition = std::function<PrimExpr(const Kernel&, const Var& j, const Var& v)>;
  const std::vector<Condition> conditions{
      [](const Kernel&, const Var&, const Var&) { return tvm::IntImm(tvm::DataType::Bool(), 1); },
      [](const Kernel& k, const Var&, const Var& v) { return LT(k.i * 4 + v, k.n - 3); },
      [](const Kernel& k, const Var&, const Var& v) { return LT(k.n, k.i * 4 + v); },
      // Not linear in the lane: the ends of the vector say nothing of its middle.
      [](const Kernel& k, const Var& j, const Var& v) {
        return LT(Select(LT(j, v), Int(-1), v), k.n);
      },
      [](const Kernel& k, const Var&, const Var& v) { return LT(tvm::floormod(v + 2, 4), k.n); },
      [](const Kernel& k, const Var&, const Var& v) { return tvm::min(v, 3 - v) < k.n; },
  };
  for (size_t c = 0; c < conditions.size(); ++c) {
    const Kernel k(0, [&](const Kernel& self) {
      const Var j("j", tvm::DataType::Int(32));
      const Var v("v", tvm::DataType::Int(32));
      const Stmt store = self.Store(self.i * 4 + v, tvm::FloatImm(tvm::DataType::Float(32), 1));
      const Stmt body = IfThenElse(conditions[c](self, j, v), store, std::nullopt);
      return For(j, Int(0), Int(3), ForKind::kSerial,
                 For(v, Int(0), Int(4), ForKind::kVectorized, body));
    });
    const IRModule safe = Legalize(k.module);
    for (int64_t n : {0, 1, 2, 3, 5, 8, 13, 511, 512}) {
      EXPECT_EQ(Stores(k, safe, n), InBounds(Stores(k, k.module, n), n))
          << "condition " << c << ", n = " << n;
    }
    EXPECT_TRUE(Equal(Legalize(safe), safe)) << "condition " << c;
  }
}

// if uint64(i - 5) >= 10: y[i - 15] = 1. A negative i - 5 is huge there, and the store outside.
TEST(Pass, AWideUnsignedCastOfANegativeIsLarge) {
  const Kernel k(0, [](const Kernel& self) {
    const PrimExpr wide = tvm::cast(tvm::DataType::UInt(64), self.i - 5);
    const Stmt store = self.Store(self.i - 15, tvm::FloatImm(tvm::DataType::Float(32), 1));
    const PrimExpr far = wide >= tvm::tirx::make_const(tvm::DataType::UInt(64), 10);
    return IfThenElse(far, store, std::nullopt);
  });
  const IRModule safe = Legalize(k.module);
  for (int64_t i = 0; i < 128; ++i) {
    if (i >= 5 && i < 15) continue;
    bool reached = true;
    for (const PrimExpr& c : Conjuncts(safe)) {
      if (!tvm::tirx::UsesVar(c, [](const VarNode*) { return true; })) continue;
      const auto* own = c.as<GENode>();
      if (own != nullptr && own->a.dtype().is_uint()) continue;  // the author's
      reached = reached && Holds(k, c, 1000, i);
    }
    EXPECT_EQ(reached, i >= 15) << "i = " << i;
  }
}

// TileLang compiles in parallel: each thread has its own run of the solver.
TEST(Pass, ThreadsDoNotDisturbEachOther) {
  const Kernel k(0, Shift);
  const IRModule expected = Legalize(k.module);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, -1);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      int different = 0;
      for (int round = 0; round < 50; ++round) {
        if (!Equal(Legalize(k.module), expected)) ++different;
      }
      wrong[t] = different;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(Frontend, ALiteralNegativeIndexCountsFromTheEnd) {
  const Kernel k(0, [](const Kernel& self) {
    return self.Store(tvm::IntImm(tvm::DataType::Int(32), -1),
                      tvm::FloatImm(tvm::DataType::Float(32), 1));
  });
  const IRModule counted = transform::LegalizeNegativeIndex()(k.module);
  const BufferStoreNode* store = nullptr;
  PostOrderVisit(Main(counted)->body, [&](const tvm::ffi::ObjectRef& node) {
    if (const auto* found = node.as<BufferStoreNode>()) store = found;
  });
  ASSERT_NE(store, nullptr);
  EXPECT_TRUE(Holds(k, store->indices[0] == k.n - 1, 7, 0));
  const Kernel plain(0, StoreOne);
  EXPECT_TRUE(Equal(transform::LegalizeNegativeIndex()(plain.module), plain.module));
}

TEST(Frontend, NothingToFreezeChangesNothing) {
  const Kernel k(0, Shift);
  EXPECT_TRUE(Equal(transform::FreezeMutableReads()(k.module), k.module));
}

// if x[0] < 5 { y[i] = 1; x[0] = 9; if x[0] < 5 { ... } }: the second test is one of another value.
TEST(Frontend, AConditionWhoseMemoryIsWrittenIsFrozen) {
  const Kernel k(0, [](const Kernel& self) {
    const PrimExpr zero = tvm::IntImm(tvm::DataType::Int(32), 0);
    const PrimExpr small = self.Load(zero) < tvm::FloatImm(tvm::DataType::Float(32), 5);
    const Stmt write = BufferStore(self.x, tvm::FloatImm(tvm::DataType::Float(32), 9), {zero});
    const Stmt inner = IfThenElse(small, StoreOne(self), std::nullopt);
    return IfThenElse(small, SeqStmt({write, inner}), std::nullopt);
  });
  const IRModule frozen = transform::FreezeMutableReads()(k.module);
  EXPECT_FALSE(Equal(frozen, k.module));
  int reads_in_conditions = 0;
  for (const PrimExpr& c : Conjuncts(frozen)) {
    PostOrderVisit(c, [&](const tvm::ffi::ObjectRef& node) {
      reads_in_conditions += node.as<BufferLoadNode>() != nullptr ? 1 : 0;
    });
  }
  EXPECT_LT(reads_in_conditions, 2) << "the outer condition still reads x[0]";
}

}  // namespace
}  // namespace testing
}  // namespace tileguard
