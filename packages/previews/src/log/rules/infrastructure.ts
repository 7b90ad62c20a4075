import type { LineRule } from './line-rule.ts'

/** How containers, clusters, provisioning and version control report what went wrong. */
export const INFRASTRUCTURE_RULES: readonly LineRule[] = [
  {
    tools: ['docker-build'],
    kind: 'exit',
    weight: 97,
    words: 'returned exit failed',
    pattern: /\breturned a non-zero code|\bdid not complete successfully: exit code|\bfailed to solve\b/,
  },
  { tools: ['docker-build'], kind: 'detail', weight: 76, words: '^dockerfile', pattern: /^\S*Dockerfile:\d+$/ },
  {
    tools: ['kubernetes-events', 'kubectl-describe'],
    kind: 'error',
    weight: 86,
    words: 'warning crash oomkilled failed err evicted unhealthy error',
    pattern:
      /\b(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|OOMKilled|CreateContainerConfigError|FailedScheduling|FailedMount|BackOff|Evicted|Unhealthy)\b|\sWarning\s+(?:Failed|BackOff|Unhealthy)\b/,
  },
  {
    tools: ['kubectl-describe'],
    kind: 'detail',
    weight: 70,
    words: 'exit ^state ^restart',
    pattern: /^\s*Exit Code:\s+[1-9]|^\s*State:\s+(?:Waiting|Terminated)|^\s*Restart Count:\s+[1-9]/,
  },
  { tools: ['terraform'], kind: 'error', weight: 92, words: 'error', pattern: /^│ Error: / },
  {
    tools: ['terraform'],
    kind: 'detail',
    weight: 74,
    words: '* ^on ^with',
    pattern: /^│ +(?:on \S+ line \d+|with \S+,$)/,
  },
  {
    tools: ['ansible'],
    kind: 'summary',
    weight: 84,
    words: 'failed unreachable',
    pattern: /\bunreachable=(?:[1-9]|\d+ +failed=[1-9])|\bfailed=[1-9]\d*\b/,
  },
  {
    tools: ['ansible'],
    kind: 'failure',
    weight: 94,
    words: '^fatal ^failed',
    pattern: /^(?:fatal|failed): \[.{1,200}\](?: \(item=.{0,80}\))?(?:: (?:FAILED|UNREACHABLE)!)? =>/,
  },
  {
    tools: ['aws-cloudformation'],
    kind: 'failure',
    weight: 88,
    words: 'failed rollback',
    pattern: /\b(?:CREATE|UPDATE|DELETE|ROLLBACK)_FAILED\b|\b(?:UPDATE_)?ROLLBACK_IN_PROGRESS\b/,
  },
  {
    tools: ['git'],
    kind: 'error',
    weight: 90,
    words: 'conflict ^automatic rejected',
    pattern: /^CONFLICT \(|^Automatic merge failed|^ ! \[(?:remote )?rejected\]/,
  },
  {
    tools: ['ssh'],
    kind: 'error',
    weight: 82,
    words: 'verification identification ^lost offending denied',
    pattern:
      /^Host key verification failed|\bHOST IDENTIFICATION HAS CHANGED|^Offending \w+ key|^lost connection|^Permission denied \(/,
  },
  {
    tools: ['systemd-journal'],
    kind: 'exit',
    weight: 92,
    words: 'exited failed',
    pattern:
      /\.(?:service|mount|socket): (?:Main|Control) process exited, code=(?:exited|killed|dumped), status=(?!0)|\.\w+: Failed with result/,
  },
]
