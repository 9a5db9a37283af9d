/** The neutral names of the contract (D1). */
export const names = {
  authorization: 'X-Svc-Authorization',
  sessionToken: 'X-Svc-SessionToken',
  timestamp: 'X-Svc-TimeStamp',
  securityToken: 'x-store-security-token',
  metaFileId: 'x-store-meta-fileid',
};
