// The report: the same decisions the rewriting uses, as JSON.
#ifndef TILEGUARD_REPORT_JSON_H_
#define TILEGUARD_REPORT_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "../rewrite/legalize.h"

namespace tileguard {

/*! \brief One function's entry of the report. `milliseconds` is the time the analysis took. */
nlohmann::json FunctionReport(const std::string& name, const Analysis& analysis,
                              double milliseconds);

}  // namespace tileguard

#endif  // TILEGUARD_REPORT_JSON_H_
