// Warnings to the user.
#ifndef TILEGUARD_REWRITE_WARNINGS_H_
#define TILEGUARD_REWRITE_WARNINGS_H_

#include <string>

namespace tileguard {

/*!
 * \brief Hands one sentence to the global function `tileguard.warn`, which the Python package
 * registers; prints it to the standard error stream when there is none. (The host's own logging
 * cannot be used from a plugin: its runtime carries a C++ library of its own, and a stream made
 * here breaks in it.)
 */
void EmitWarning(const std::string& sentence);

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_WARNINGS_H_
