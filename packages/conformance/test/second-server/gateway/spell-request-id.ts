/** Header names have no case, so this gateway has two spellings and takes them by turns. */
export function spellRequestId(requestId: string): string {
  return /[02468acegikmoqsuwy]$/.test(requestId) ? 'X-REQUEST-ID' : 'x-request-id';
}
