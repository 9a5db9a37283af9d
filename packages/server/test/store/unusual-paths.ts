/** Paths that D24 allows and that a store might confuse, lose, or reject. */
export const HARD_PATHS: readonly string[] = [
  'plain.txt',
  // A file and a folder with the same name.
  'a',
  'a/b',
  'a/b/c',
  // Case, which some disks ignore.
  'Readme.MD',
  'readme.md',
  'README.md/inner',
  // Composed and decomposed, and look-alikes that fold to each other.
  '\u00e9t\u00e9',
  'e\u0301te\u0301',
  '\u212b',
  '\u00c5',
  'stra\u00dfe',
  'strasse',
  // Chinese, and a compatibility ideograph that normalisation replaces.
  '照片/二零二六/猫.jpg',
  '\uf900',
  '\u8c48',
  // Beyond the basic plane, joined, and right-to-left.
  '😀/👨‍👩‍👧.png',
  '\u202egnp.exe',
  // Spaces and dots that Windows trims.
  ' a ',
  'a.',
  '...',
  '.hidden',
  'nbsp\u00a0and\u2028line',
  // Percent forms are plain text.
  '%2F',
  '%2e%2e/%2e%2e/etc/passwd',
  '%zz',
  // Special characters of shells, Windows, URLs, headers, and objects.
  'C:\\Windows\\win.ini',
  '..\\..\\a',
  'file:stream:$DATA',
  'quote"\'`',
  '<>|?*&;$(){}[]!#~^+=,@',
  'a?b#c&d=e',
  '__proto__',
  // Names that Windows reserves.
  'CON',
  'aux/nul',
  // Fullwidth forms of `/`, `.` and `\`.
  '\uff0f\uff0e\uff0e\uff3c',
  // Names that a driver might use itself.
  'tmp',
  'files/tmp',
  'a+/b',
  'a~',
  // The longest paths (1,024 bytes, D24): in one segment, in many, and in wide characters.
  'x'.repeat(1024),
  `${'y/'.repeat(511)}zz`,
  '😀'.repeat(256),
  `${'猫'.repeat(340)}/${'"'.repeat(3)}`,
  `${'.'.repeat(1000)}/a`,
];
