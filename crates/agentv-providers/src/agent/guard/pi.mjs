
export default function (pi) {
  pi.on("tool_call", async (event) => {
    const changes = event.toolName === "write" || event.toolName === "edit";
    if (changes && !isInside(String(event.input.path))) {
      return { block: true, reason: REASON };
    }
  });
}
