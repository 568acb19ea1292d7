/*
 * Runs the inputs that the fuzzers kept, and those that once failed, through each harness of test/fuzz without a
 * fuzzer. A harness aborts if an invariant is violated: the last line then names the file.
 *
 *   test_corpus [FOLDER]      the folder is test/fuzz unless it is given
 *   test_corpus NAME FILE...  these files only, through the harness of that name
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../fuzz/harness.h"
#include "tap.h"

#define MAX_PATH_LENGTH 1000

typedef struct Harness
{
	const char *name;
	void		(*run) (const uint8_t *bytes, size_t length);
} Harness;

static const Harness harnesses[] = {
	{"image", fuzz_image}, {"model", fuzz_model}, {"layer", fuzz_layer}, {"sizing", fuzz_sizing}, {"sort", fuzz_sort}
};

#define HARNESSES (sizeof(harnesses) / sizeof(harnesses[0]))

static char path[MAX_PATH_LENGTH];	/* of the current input */

static void
tell_path(int signal_number)
{
	static const char message[] = "# with the input ";

	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0 || write(STDERR_FILENO, path, strlen(path)) < 0 ||
		write(STDERR_FILENO, "\n", 1) < 0)
		_exit(EXIT_FAILURE);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* Run the harness on the file at `path`, in memory of exactly its length. */
static void
run_file(const Harness *harness)
{
	FILE	   *file = fopen(path, "rb");
	uint8_t    *bytes;
	long		length;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (length = ftell(file)) < 0)
	{
		diag("cannot read %s", path);
		exit(EXIT_FAILURE);
	}
	rewind(file);
	bytes = zeroed_memory((uint64_t) length);
	if (fread(bytes, 1, (size_t) length, file) != (size_t) length)
		bail_out("an input cannot be read");
	fclose(file);
	harness->run(bytes, (size_t) length);
	free(bytes);
}

/* Returns the number of files; 0 if the folder does not exist. */
static unsigned
run_folder(const Harness *harness, const char *folder, const char *part)
{
	char		name[MAX_PATH_LENGTH];
	DIR		   *directory;
	struct dirent *entry;
	unsigned	count = 0;

	if (snprintf(name, sizeof(name), "%s/%s/%s", folder, part, harness->name) >= (int) sizeof(name))
		bail_out("the path of an input is too long");
	if ((directory = opendir(name)) == NULL)
		return 0;
	while ((entry = readdir(directory)) != NULL)
	{
		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", name, entry->d_name) >= (int) sizeof(path))
			bail_out("the path of an input is too long");
		run_file(harness);
		count++;
	}
	closedir(directory);
	return count;
}

int
main(int arguments, char **argument)
{
	signal(SIGABRT, tell_path);
	signal(SIGSEGV, tell_path);
	signal(SIGFPE, tell_path);
	if (arguments > 2)
	{
		for (size_t i = 0; i < HARNESSES; i++)
			for (int file = 2; file < arguments && strcmp(harnesses[i].name, argument[1]) == 0; file++)
			{
				snprintf(path, sizeof(path), "%s", argument[file]);
				run_file(&harnesses[i]);
			}
		return EXIT_SUCCESS;
	}
	for (size_t i = 0; i < HARNESSES; i++)
	{
		const char *folder = arguments > 1 ? argument[1] : "test/fuzz";
		unsigned	kept = run_folder(&harnesses[i], folder, "corpus");
		unsigned	crashes = run_folder(&harnesses[i], folder, "crashes");

		ok(kept > 0, "fuzz_%s: %u inputs of the corpus, and %u that failed once", harnesses[i].name, kept, crashes);
	}
	return done_testing();
}
