/** The request identifier in the header of an answer (D9). */
export function requestIdOf(response: Response): string | undefined {
  return response.headers.get('X-Request-Id') ?? undefined;
}
