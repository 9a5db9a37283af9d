import type { ReactNode } from 'react';
import type { Exchange } from './exchange.ts';

interface ResultProps {
  readonly exchange: Exchange | undefined;
  readonly baseUrl: string;
  readonly children: ReactNode;
}

/** The response, while it arrives. */
export function Result({ exchange, baseUrl, children }: ResultProps) {
  const { headers = [], body = '', events = [] } = exchange ?? {};
  return (
    <section className="berth-playground__result" aria-label="Response">
      <p role="status">{toStatus(exchange)}</p>
      {headers.length > 0 && (
        <details>
          <summary>{headers.length} headers</summary>
          <pre>{headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>
        </details>
      )}
      {events.length > 0 && (
        <ol aria-label="Events">
          {events.map(({ at, text }) => (
            <li key={`${at} ${text}`}>
              <small>{Math.round(at)} ms</small>
              <pre>{text}</pre>
            </li>
          ))}
        </ol>
      )}
      {events.length === 0 && body && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard
        <pre tabIndex={0}>{toReadable(body)}</pre>
      )}
      {listLinks(body, baseUrl).map((link) => (
        <p key={link}>
          <a href={link} target="_blank" rel="noreferrer">
            Open {decodeURIComponent(link.slice(`${baseUrl}/files/`.length).split('?')[0] ?? '')}
          </a>
        </p>
      ))}
      {children}
    </section>
  );
}

function toStatus(exchange: Exchange | undefined): string {
  if (exchange === undefined) return 'Press Run. The response appears here.';
  const { status, state, failure, milliseconds } = exchange;
  if (status === undefined) return failure ?? 'Waiting for the response…';
  const time = `Status ${status}, ${Math.round(milliseconds)} ms`;
  return state === 'running'
    ? `${time}, still arriving…`
    : [time, failure].filter(Boolean).join('. ');
}

function toReadable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The links to files in a response. */
function listLinks(body: string, baseUrl: string): string[] {
  const links = body.split('"').filter((text) => text.startsWith(`${baseUrl}/files/`));
  return baseUrl === '' ? [] : links;
}
