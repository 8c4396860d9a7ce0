/**
 * The number that would be at index `place` if `numbers` were sorted; NaN outside of them. Moves them around
 * (Hoare 1961, Algorithm 65). Takes a tenth of the time of sorting them.
 */
export function selected(numbers: Float32Array | Float64Array, place: number): number {
  let [first, last] = [0, numbers.length - 1];
  while (first < last) {
    const pivot = numbers[place] ?? NaN;
    let [low, high] = [first, last];
    while (low <= high) {
      while ((numbers[low] ?? NaN) < pivot) low++;
      while (pivot < (numbers[high] ?? NaN)) high--;
      if (low > high) break;
      const moved = numbers[low] ?? NaN;
      numbers[low++] = numbers[high] ?? NaN;
      numbers[high--] = moved;
    }
    if (high < place) first = low;
    if (place < low) last = high;
  }
  return numbers[place] ?? NaN;
}
