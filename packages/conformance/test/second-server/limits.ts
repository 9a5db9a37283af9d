/** The contract fixes none of these (D13, D18, D22, D24, D25, D26, D27). */
export const limits = {
  gatewayBodyBytes: 2 * 1024 * 1024,
  gatewayHeadMilliseconds: 20_000,
  signatureSeconds: 1800,
  storageClockSeconds: 7200,
  storageBodyBytes: 256 * 1024,
  batchItems: 20,
  pathCharacters: 400,
  linkSeconds: 120,
  longestLinkSeconds: 86_400,
  grantSeconds: 240,
  fileBytes: 8 * 1024 * 1024,
};
