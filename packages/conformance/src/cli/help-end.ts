/** What the help says after the options. */
export const HELP_END = `
Each option can also be set by a variable, --gateway-url by BERTH_GATEWAY_URL (lists: one value a line),
and in the file of --config, as gatewayUrl. The command line comes first, then variables, then the file.

Examples:
  berth-conformance --gateway-url https://dev.gateway.example --gateway-token "$TOKEN" \\
    --storage-url https://storage.example --tc3-secret-id "$ID" --tc3-secret-key "$KEY"
  berth-conformance --config conformance.json --report junit=junit.xml,html=report.html
  berth-conformance --config conformance.json --only ST-COPY --failed-only
  berth-conformance fixture --port 8080 --host 0.0.0.0

Exit codes, the first that applies:
  2  the run could not start: bad options, no answer, TLS, credentials that every call refuses
  1  a MUST failed, or the baseline is stale: the deployment breaks the contract
  4  a MUST ended in an error of the network or of the suite
  3  a MUST was skipped: incomplete
  0  the deployment keeps the contract`;
