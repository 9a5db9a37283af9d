import type { MutatedRequest } from '../../proxy/messages.ts';

/** Values of a header that the fixture service is asked to answer with: what the gateway takes away. */
export function listOrdered(request: MutatedRequest, name: string): string[] {
  const wanted = name.toLowerCase();
  return new URLSearchParams(request.query).getAll('header').flatMap((line) => {
    const [key = '', ...rest] = line.split(':');
    return key.toLowerCase() === wanted ? [rest.join(':').trim()] : [];
  });
}
