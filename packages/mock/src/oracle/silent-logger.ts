/** Prism logs every step; the mock has nothing to do with these lines. */
export const silentLogger = {
  child: () => silentLogger,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
  success() {},
};
