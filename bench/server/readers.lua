-- Readers of the metadata routes, in turns; the answer of `done` is one line of JSON.
local paths = {}

function init(args)
  for path in args[1]:gmatch("[^,]+") do paths[#paths + 1] = path end
end

local turn = 0
function request()
  turn = turn % #paths + 1
  return wrk.format("GET", paths[turn])
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\nRESULT {"requests": %d, "seconds": %.3f, "errors": %d, "p50": %.3f, "p90": %.3f, "p99": %.3f, "max": %.3f}\n',
    summary.requests, summary.duration / 1e6, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50) / 1e3, latency:percentile(90) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end
