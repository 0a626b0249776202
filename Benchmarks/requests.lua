-- Sends requests from a file, one drawn at random after the other, and prints what came of it as JSON.
--
--   wrk -s requests.lua URL -- FILE
--
-- The file returns a list of {method, path, body}. run.py writes it.

local texts = {}

function init(arguments)
   math.randomseed(42)
   local headers = { ["Content-Type"] = "application/json" }
   for index, request in ipairs(dofile(arguments[1])) do
      texts[index] = wrk.format(request[1], request[2], headers, request[3])
   end
end

function request()
   return texts[math.random(#texts)]
end

function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      '\nRESULT {"requests": %d, "seconds": %.6f, "bytes": %d, "p50": %.3f, "p99": %.3f, "failed": %d, "refused": %d}\n',
      summary.requests, summary.duration / 1e6, summary.bytes,
      latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
      errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
