export async function hasPrice(output, context) {
  return /\d/.test(output);
}
export default (output) => output.includes('free');
