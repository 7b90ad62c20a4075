import type { FileStep } from './file-system.ts'
import { quoted } from './run-script.ts'

/** Write a step as a command that succeeds where the step was taken. */
export function shellStep(step: FileStep): string {
  if (step.step === 'link') return `{ [ ! -d ${quoted(step.to)} ] && ln ${quoted(step.from)} ${quoted(step.to)}; }`
  const path = quoted(step.path)
  switch (step.step) {
    case 'isReal':
      return `[ "$(cd ${path} && pwd -P)" = ${path} ]`
    case 'isMissing':
      return `{ [ ! -e ${path} ] && [ ! -L ${path} ]; }`
    case 'isFile':
      return `{ [ ! -L ${path} ] && [ -f ${path} ] && [ "$(wc -c < ${path})" -eq ${step.size} ]; }`
    case 'create':
      // Not by a shell: see the comment on times in ShellFileSystem.
      if (step.modifiedAt !== undefined) return 'false'
      return `(set -C; printf %s '${Buffer.from(step.content).toString('base64')}' | base64 -d > ${path})`
    case 'remove':
      return `rm ${path}`
  }
}
