/** Compares the output of packages for real data with a record: `node internal/baseline/compare.ts <folder>`. */
import { compareRecord } from './compare-record.ts'
import { baselineFolder, readData } from './read-data.ts'
import { recordBaseline } from './record-baseline.ts'

const MOST_SHOWN = 40

const folder = baselineFolder(process.argv[2])
let differences = 0
for await (const difference of compareRecord(folder, recordBaseline(readData()))) {
  differences += 1
  if (differences <= MOST_SHOWN) console.log(difference)
}
if (differences > MOST_SHOWN) console.log(`and ${differences - MOST_SHOWN} more`)
console.log(differences === 0 ? 'Nothing differs.' : `${differences} files differ.`)
process.exitCode = differences === 0 ? 0 : 1
