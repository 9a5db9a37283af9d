/** A request target taken apart (RFC 9112, section 3.2), as sent. */
export interface Target {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string | undefined;
}

const AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?]*/i;

export function splitTarget(url: string): Target {
  const target = url.charCodeAt(0) === 0x2f ? url : toOriginForm(url);
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: undefined }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** RFC 9112, section 3.2.2: "a server MUST accept the absolute-form in requests". */
function toOriginForm(url: string): string {
  const rest = url.replace(AUTHORITY, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
