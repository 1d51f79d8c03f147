#include "site.h"
#include "walker.h"

namespace tileguard {

std::unique_ptr<Extraction> Extract(const tvm::tirx::PrimFunc& func,
                                    const std::vector<std::string>& guarded_scopes,
                                    bool all_scopes) {
  auto out = std::make_unique<Extraction>();
  const Effects effects = CollectEffects(func->body);
  Walker walker(out.get(), effects);
  walker.recorder()->SetScopes({guarded_scopes.begin(), guarded_scopes.end()}, all_scopes);
  walker.Run(func);
  return out;
}

}  // namespace tileguard
