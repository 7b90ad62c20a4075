import type { LineRule } from './line-rule.ts'

/** How CI systems, and the shells they run, say that a command failed. */
export const CI_RULES: readonly LineRule[] = [
  {
    tools: ['travis', 'circleci', 'buildkite', 'azure-pipelines', 'docker-compose', 'flake8', 'vite', 'teamcity'],
    kind: 'exit',
    weight: 100,
    words: 'exited',
    pattern: /\bexited (?:with )?(?:exit )?(?:code |status )?(?:exit status )?['(]?-?[1-9]/i,
  },
  {
    tools: ['github-actions', 'gitlab-ci', 'jenkins'],
    kind: 'exit',
    weight: 100,
    words: 'exit failed failure',
    pattern:
      /\bProcess completed with exit code [1-9]|\bmarked build as failure|\bERROR: Job failed|\bscript returned exit code [1-9]/,
  },
  {
    tools: ['jenkins'],
    kind: 'exit',
    weight: 90,
    words: '^finished',
    pattern: /^Finished: (?:FAILURE|UNSTABLE|ABORTED)/,
  },
  {
    tools: ['drone', 'go', 'go-vet', 'buildkite', 'strace'],
    kind: 'exit',
    weight: 96,
    words: '^exit exited ^user',
    pattern: /^(?:user command error: )?exit (?:status|code) [1-9]|^\+{3} exited with [1-9]/,
  },
  {
    tools: ['rpm-mock', 'pip', 'apt', 'docker-build'],
    kind: 'exit',
    weight: 84,
    words: 'exit exited return quit terminated',
    pattern:
      /\b(?:exit(?:ed)?|return(?:ed|ing)?|quit|terminated)(?: with| was)?(?: an?)?(?: exit| error| non-zero| nonzero)* ?(?:code|status|signal)?(?: was)?\b\W{0,3}(?!0\b)-?\d{1,3}\)?$/i,
  },
  {
    tools: ['github-actions', 'azure-pipelines'],
    kind: 'error',
    weight: 90,
    words: 'error',
    pattern: /##\[error\]|^::error/,
  },
  {
    tools: ['teamcity'],
    kind: 'failure',
    weight: 96,
    words: 'teamcity',
    pattern: /##teamcity\[(?:testFailed|buildProblem)|##teamcity\[message [^\]]{0,400}status='(?:ERROR|FAILURE)'/,
  },
  {
    tools: ['github-actions', 'azure-pipelines'],
    kind: 'warning',
    weight: 34,
    words: 'warning',
    pattern: /##\[warning\]|^::warning/,
  },
]
