// Registration with the host: passes, options, functions; nothing else.
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ir/transform.h>
#include <tvm/tirx/function.h>
#include <tvm/tirx/transform.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

#include "../extract/pointer_ops.h"
#include "../report/json.h"
#include "../rewrite/frontend.h"
#include "../rewrite/legalize.h"
#include "../tileguard.h"

namespace tileguard {

namespace {

using tvm::tirx::PrimFunc;
using tvm::transform::PassContext;

std::optional<std::string> FromContext(const PassContext& context, const std::string& name) {
  const auto value = context->config.Get("tileguard." + name);
  if (!value) return std::nullopt;
  if (auto text = value.value().try_cast<tvm::ffi::String>()) return std::string(*text);
  if (auto flag = value.value().as<bool>()) return *flag ? "true" : "false";
  if (auto number = value.value().as<int64_t>()) return std::to_string(*number);
  throw std::invalid_argument("tileguard." + name + " has no value that an option can have");
}

bool Flag(const PassContext& context, const char* key) {
  return context->GetConfig<tvm::Bool>(key, tvm::Bool(false)).value()->value;
}

Options CurrentOptions(const PassContext& context) {
  try {
    Options options =
        ReadOptions([&context](const std::string& name) { return FromContext(context, name); });
    options.disabled = Flag(context, "tl.disable_safe_memory_legalize");
    options.warnings = !Flag(context, "tl.disable_out_of_bound_warning");
    return options;
  } catch (const std::invalid_argument& error) {
    TVM_FFI_THROW(ValueError) << "TileGuard: " << error.what();
  }
  TVM_FFI_UNREACHABLE();
}

std::string NameOf(const tvm::tirx::PrimFunc& func) {
  auto name = func->GetAttr<tvm::ffi::String>(tvm::attr::kGlobalSymbol);
  return name ? std::string(name.value()) : "a function without a name";
}

// The host's own checks find what is wrong with a malformed function; their account of it is for
// their authors. One sentence of it is for the user.
template <typename Run>
auto InOneSentence(const tvm::tirx::PrimFunc& func, const Run& run) {
  try {
    return run();
  } catch (const tvm::ffi::Error& error) {
    const std::string said = error.message();
    TVM_FFI_THROW(ValueError) << "TileGuard: " << NameOf(func)
                              << " is malformed: " << said.substr(0, said.find('\n'));
  }
  TVM_FFI_UNREACHABLE();
}

// A pass of this library, which runs on each function by itself.
template <typename Run>
tvm::transform::Pass PassOf(const std::string& name, const Run& run) {
  auto each = [run](const PrimFunc& func, const tvm::IRModule&, const PassContext& context) {
    const Options options = CurrentOptions(context);
    return InOneSentence(func, [&] { return run(func, options); });
  };
  return tvm::tirx::transform::CreatePrimFuncPass(each, 0, "tileguard." + name, {});
}

double MillisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

tvm::ffi::String OptionsJSON() {
  nlohmann::json out = nlohmann::json::array();
  for (const OptionRow& row : OptionTable()) {
    out.push_back({{"name", row.name},
                   {"type", row.type},
                   {"default", row.default_text},
                   {"help", row.help}});
  }
  return out.dump();
}

// {"use": ..., "treatment": ...} of an op of the host, by its registered name.
tvm::ffi::String ClassifyOp(const tvm::ffi::String& name) {
  const PointerUse use = LookUpPointerOp(name).use;
  return nlohmann::json{{"use", ToString(use)}, {"treatment", Treatment(use)}}.dump();
}

}  // namespace

namespace transform {

tvm::transform::Pass LegalizeSafeMemoryAccess() {
  return PassOf("LegalizeSafeMemoryAccess", [](const PrimFunc& func, const Options& options) {
    return options.disabled ? func : Legalize(func, options);
  });
}

tvm::transform::Pass FreezeMutableReads() {
  return PassOf("FreezeMutableReads", [](const PrimFunc& func, const Options&) {
    return tileguard::FreezeMutableReads(func);
  });
}

tvm::transform::Pass KeepHardwareFills() {
  return PassOf("KeepHardwareFills", [](const PrimFunc& func, const Options&) {
    return tileguard::KeepHardwareFills(func);
  });
}

tvm::transform::Pass LegalizeNegativeIndex() {
  return PassOf("LegalizeNegativeIndex", [](const PrimFunc& func, const Options&) {
    return tileguard::LegalizeNegativeIndex(func);
  });
}

}  // namespace transform

std::string AnalyzeJSON(const tvm::IRModule& mod) {
  const Options options = CurrentOptions(PassContext::Current());
  nlohmann::json functions = nlohmann::json::array();
  for (const auto& [name, base] : mod->functions) {
    const auto* func = base.as<tvm::tirx::PrimFuncNode>();
    if (func == nullptr) continue;
    const auto start = std::chrono::steady_clock::now();
    const auto prim = tvm::ffi::GetRef<tvm::tirx::PrimFunc>(func);
    const Analysis analysis = InOneSentence(prim, [&] { return Analyze(prim, options, true); });
    functions.push_back(FunctionReport(name->name_hint, analysis, MillisecondsSince(start)));
  }
  return nlohmann::json{{"schema", 1}, {"functions", functions}}.dump();
}

// The types of the option table.
TVM_REGISTER_PASS_CONFIG_OPTION("tileguard.budget_access", int64_t);
TVM_REGISTER_PASS_CONFIG_OPTION("tileguard.budget_searches", int64_t);
TVM_REGISTER_PASS_CONFIG_OPTION("tileguard.hoist_guards", bool);
TVM_REGISTER_PASS_CONFIG_OPTION("tileguard.vector_tails", bool);
TVM_REGISTER_PASS_CONFIG_OPTION("tileguard.guard_scopes", tvm::ffi::String);

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef()
      .def("tileguard.transform.LegalizeSafeMemoryAccess", transform::LegalizeSafeMemoryAccess)
      .def("tileguard.transform.FreezeMutableReads", transform::FreezeMutableReads)
      .def("tileguard.transform.KeepHardwareFills", transform::KeepHardwareFills)
      .def("tileguard.transform.LegalizeNegativeIndex", transform::LegalizeNegativeIndex)
      .def("tileguard.AnalyzeJSON",
           [](const tvm::IRModule& mod) { return tvm::ffi::String(AnalyzeJSON(mod)); })
      .def("tileguard.Version", []() { return tvm::ffi::String(TILEGUARD_VERSION); })
      .def("tileguard.OptionsTable", OptionsJSON)
      .def("tileguard.ClassifyOp", ClassifyOp);
}

}  // namespace tileguard
