// Finds the data, which is not part of the repository.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Return the data folder (--data, $SPILLWAY_DATA, or ../shared/data beside the project), and whether it exists. */
export function findData(given) {
  const folder = path.resolve(
    given ?? process.env.SPILLWAY_DATA ?? fileURLToPath(new URL('../../../../shared/data', import.meta.url)),
  )
  return { folder, present: fs.existsSync(path.join(folder, 'logs', 'answers.json')) }
}

/** Return the data folder. If it is missing, end the run with a message. */
export function dataFolder(given) {
  const { folder, present } = findData(given)
  if (present) return folder
  console.log(`skipped: no data in ${folder}; name its folder with --data or SPILLWAY_DATA`)
  process.exit(0)
}
