// The printed link has the code after `#`, which browsers do not send. Without script, people type it.
const match = /^#code=([A-Za-z0-9-]{8,32})$/.exec(location.hash);
if (match) {
  history.replaceState(null, "", location.pathname + location.search);
  const field = document.getElementById("secret");
  field.value = match[1];
  field.form.requestSubmit();
}
