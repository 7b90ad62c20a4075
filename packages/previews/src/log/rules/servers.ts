import type { LineRule } from './line-rule.ts'

/** How servers and libraries of logging mark lines of high severity. */
export const SERVER_RULES: readonly LineRule[] = [
  {
    tools: ['json-lines', 'access-log-json'],
    kind: 'error',
    weight: 88,
    words: 'error err fatal critical crit panic emergency severe',
    pattern:
      /"(?:level|severity|severityText|levelname|log\.level|lvl|loglevel|log_level|@l)" ?: ?"(?:err(?:or)?|fatal|crit(?:ical)?|d?panic|alert|emerg(?:ency)?|severe)"/i,
  },
  { tools: ['pino-bunyan'], kind: 'error', weight: 88, words: '*', pattern: /"level" ?: ?[56]0\b/ },
  {
    tools: ['json-lines'],
    kind: 'warning',
    weight: 34,
    words: 'warn warning',
    pattern: /"(?:level|severity|levelname|lvl)" ?: ?"warn(?:ing)?"/i,
  },
  {
    tools: ['logfmt'],
    kind: 'error',
    weight: 88,
    words: 'error fatal panic critical err',
    pattern: /\b(?:level|lvl|severity)="?(?:error|err|fatal|d?panic|crit(?:ical)?)\b/i,
  },
  {
    tools: ['logfmt'],
    kind: 'warning',
    weight: 34,
    words: 'warn warning',
    pattern: /\b(?:level|lvl)="?warn(?:ing)?\b/,
  },
  { tools: ['glog'], kind: 'error', weight: 84, words: '*', pattern: /^[EF]\d{4} \d\d:\d\d:\d\d\.\d+ / },
  // RFC 5424: a priority whose rest by 8, the severity, is at most 3.
  {
    tools: ['syslog-rfc5424'],
    kind: 'error',
    weight: 80,
    words: '*',
    pattern:
      /^<(?:[0-389]|1[016-9]|2[4-7]|3[2-5]|4[0-389]|5[016-9]|6[4-7]|7[2-5]|8[0-389]|9[016-9]|10[4-7]|11[2-5]|12[0-389]|13[016-9]|14[4-7]|15[2-5]|16[0-389]|17[016-9]|18[4-7])>/,
  },
  {
    tools: ['postgresql', 'mysql', 'docker-compose', 'elixir', 'nginx', 'python-logging'],
    kind: 'error',
    weight: 86,
    words: 'error fatal panic critical crit emerg',
    pattern:
      /\] (?:\S+@\S+ )?(?:ERROR|FATAL|PANIC): |\s\[(?:error|ERROR|crit|alert|emerg|critical|FATAL)\]\s|^(?:ERROR|CRITICAL|FATAL):[\w.]+:/,
  },
  {
    tools: ['postgresql', 'docker-compose', 'java'],
    kind: 'detail',
    weight: 78,
    words: 'detail',
    pattern: /\bDETAIL: {1,2}\S|^\s*Detail: \S/,
  },
  { tools: ['csharp'], kind: 'error', weight: 88, words: '^fail ^crit', pattern: /^(?:fail|crit): \S+\[\d+\]/ },
  {
    tools: ['nginx'],
    kind: 'error',
    weight: 74,
    words: '*',
    pattern: /HTTP\/\d(?:\.\d)?" 5\d\d\b/,
  },
  { tools: ['rails'], kind: 'error', weight: 82, words: 'error', pattern: /\b500 Internal Server Error\b/ },
  { tools: ['redis'], kind: 'error', weight: 80, words: 'error failed oom', pattern: /^\d+:[MSCX] .{10,40} # \S/ },
  {
    tools: ['apache-httpd'],
    kind: 'error',
    weight: 86,
    words: 'error crit emerg',
    pattern: /\] \[\w*:(?:error|crit|alert|emerg)\] /,
  },
  { tools: ['sidekiq'], kind: 'failure', weight: 86, words: 'fail', pattern: /\bINFO: fail$/ },
]
