import { spawnSync } from 'node:child_process'

/** Run a shell command in its own user and mount namespace, in which the command may mount. */
export function inNamespace(
  flags: string,
  command: string,
  ...parameters: string[]
): { readonly output: string; readonly failure: string } {
  const { stdout, stderr } = spawnSync('unshare', [flags, 'sh', '-c', command, 'sh', ...parameters], {
    encoding: 'utf8',
  })
  return { output: stdout, failure: stderr }
}

export const canMount: boolean = inNamespace('-Urm', 'mount -t tmpfs none /mnt && echo yes').output === 'yes\n'
export const canBecomeNobody: boolean = inNamespace('-U', 'echo yes').output === 'yes\n'
