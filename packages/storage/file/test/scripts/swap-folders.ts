import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'

/** Swap folders for links to other folders and back, until killed. Takes pairs of a folder and the target of its link. */
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

/** Sleeping would take too long. */
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
    // The storage has made the folder anew meanwhile.
    attempt(() => renameSync(folder, `${folder}.aside`))
    attempt(() => renameSync(real, folder))
    attempt(() => rmSync(`${folder}.aside`, { recursive: true }))
  }
  spin(1_000_000)
}
