#include "access.h"

#include <algorithm>

namespace tileguard {

bool Decision::LanesAgree() const {
  return std::all_of(atoms.begin(), atoms.end(), [](const GuardAtom& a) { return a.uniform; });
}

const char* ToString(Verdict v) {
  switch (v) {
    case Verdict::kProved:
      return "Proved";
    case Verdict::kGuarded:
      return "Guarded";
    case Verdict::kOutOfBounds:
      return "OutOfBounds";
    case Verdict::kUnknown:
      break;
  }
  return "Unknown";
}

const char* ToString(UnknownReason r) {
  switch (r) {
    case UnknownReason::kNonAffine:
      return "NonAffine";
    case UnknownReason::kQuota:
      return "Quota";
    case UnknownReason::kUnsupported:
      return "Unsupported";
    case UnknownReason::kMayOverflow:
      return "MayOverflow";
    case UnknownReason::kNone:
      break;
  }
  return "";
}

const char* ToString(AccessKind k) {
  switch (k) {
    case AccessKind::kLoad:
      return "load";
    case AccessKind::kStore:
      return "store";
    case AccessKind::kAtomic:
      return "atomic";
    case AccessKind::kCopyAsync:
      return "cp.async";
    case AccessKind::kPointer:
      break;
  }
  return "pointer";
}

}  // namespace tileguard
