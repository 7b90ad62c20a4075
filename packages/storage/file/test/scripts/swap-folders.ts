import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'

/**
 * Swap folders for links to other folders and back, until the process is killed. The arguments are pairs of a folder
 * and the target of its link.
 */
const paths = process.argv.slice(2)

function attempt(step: () => void): boolean {
  try {
    step()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return false
  }
}

/** Wait for a very short random time. A timer would take too long. */
function spin(turns: number): void {
  for (let left = Math.random() * turns; left > 0; left -= 1);
}

for (let turn = 0; ; turn += 2) {
  const at = turn % paths.length
  const [folder = '', target = ''] = paths.slice(at, at + 2)
  const real = `${folder}.real`
  attempt(() => renameSync(folder, real))
  attempt(() => symlinkSync(target, folder))
  spin(100_000)
  attempt(() => unlinkSync(folder))
  if (!attempt(() => renameSync(real, folder))) {
    // If the storage has created the folder again, move that folder aside.
    attempt(() => renameSync(folder, `${folder}.aside`))
    attempt(() => renameSync(real, folder))
    attempt(() => rmSync(`${folder}.aside`, { recursive: true }))
  }
  spin(1_000_000)
}
