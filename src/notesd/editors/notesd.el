;;; notesd.el --- Search notes while you type  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1"))

;;; Commentary:

;; (load "FILE")                    FILE: what `notesd editor emacs' prints
;;
;; M-x notesd-search     hits as an xref list, each at its line
;; M-x notesd-live       hits follow what is typed in the minibuffer; RET opens the first
;; M-x notesd-related    notes that belong with the open one
;;
;; Talks to the daemon over its socket; without one, `notesd status' starts it.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'xref)

(defgroup notesd nil "Search in folders of notes." :group 'external)
(defcustom notesd-program "notesd" "The command line." :type 'string)
(defcustom notesd-limit 50 "At most so many hits." :type 'integer)
(defcustom notesd-state nil "The state folder; nil: where the system has such folders."
  :type '(choice (const nil) directory))

(defvar notesd--process nil "The connection.")
(defvar notesd--last 0 "Number of the last question.")
(defvar notesd--waiting nil "What is to be done with each answer, by number.")
(defvar notesd--folders nil "Folders of the spaces, by name.")

(defun notesd--state ()
  "Return the state folder."
  (let ((base (getenv "XDG_STATE_HOME")))
    (expand-file-name
     (cond (notesd-state)
           ((getenv "NOTESD_STATE_DIR"))
           ((and base (file-name-absolute-p base)) (concat base "/notesd"))
           ((eq system-type 'darwin) "~/Library/Application Support/notesd")
           (t "~/.local/state/notesd")))))

(defun notesd--socket ()
  "Return the socket, which is the second line of the lock; nil: no daemon runs."
  (let ((lock (expand-file-name "daemon.lock" (notesd--state))))
    (when (file-readable-p lock)
      (with-temp-buffer
        (insert-file-contents lock)
        (let ((lines (split-string (buffer-string) "\n")))
          (unless (string-empty-p (or (nth 1 lines) "")) (nth 1 lines)))))))

(defun notesd--connect ()
  "Return a connection, starting a daemon if there is none."
  (unless (process-live-p notesd--process)
    (setq notesd--process (or (notesd--try) (notesd--start)) notesd--waiting nil notesd--folders nil))
  notesd--process)

(defun notesd--try ()
  "Return a new connection, nil if nobody listens."
  (let ((socket (notesd--socket)))
    (when socket
      (condition-case nil
          (make-network-process
           :name "notesd" :family 'local :service socket :coding 'utf-8 :noquery t
           :buffer (generate-new-buffer " *notesd*") :filter #'notesd--hear)
        (file-error nil)))))

(defun notesd--start ()
  "Start a daemon and return a connection to it."
  (unless (eq 0 (call-process notesd-program nil nil nil "status"))
    (user-error "`%s status' failed" notesd-program))
  (or (notesd--try) (user-error "No notesd answers")))

(defun notesd--hear (process chunk)
  "Take CHUNK of PROCESS and hand on the answers that are complete by now."
  (when (buffer-live-p (process-buffer process))
    (let (lines)
      (with-current-buffer (process-buffer process)
        (goto-char (point-max))
        (insert chunk)
        (goto-char (point-min))
        (while (search-forward "\n" nil t)
          (push (delete-and-extract-region (point-min) (point)) lines)))
      (mapc #'notesd--take (nreverse lines)))))

(defun notesd--take (line)
  "Hand on the answer in LINE."
  (let* ((answer (let ((json-object-type 'alist) (json-array-type 'list) (json-false nil))
                   (json-read-from-string line)))
         (known (assq (alist-get 'id answer) notesd--waiting)))
    (when known
      (setq notesd--waiting (delq known notesd--waiting))
      (funcall (cdr known) (alist-get 'result answer) (alist-get 'message (alist-get 'error answer))))))

(defun notesd-ask (method params done)
  "Ask METHOD with PARAMS, an alist; DONE gets the result, or nil and a sentence."
  (let ((process (notesd--connect)) (id (cl-incf notesd--last)))
    (push (cons id done) notesd--waiting)
    (process-send-string
     process
     (concat (json-encode `((jsonrpc . "2.0") (id . ,id) (method . ,method)
                            (params . ,(or params (make-hash-table)))))
             "\n"))
    id))

(defun notesd-call (method &optional params)
  "Ask METHOD with PARAMS and wait for the result."
  (let ((result 'none) reason)
    (notesd-ask method params (lambda (told why) (setq result told reason why)))
    (while (eq result 'none)
      (unless (process-live-p notesd--process) (user-error "The daemon has hung up"))
      (accept-process-output notesd--process 0.1))
    (when reason (user-error "%s" reason))
    result))

(defun notesd--folder (space)
  "Return the folder of SPACE."
  (unless (assoc space notesd--folders)
    (setq notesd--folders
          (mapcar (lambda (one) (cons (alist-get 'name one) (alist-get 'path one)))
                  (alist-get 'spaces (notesd-call "status")))))
  (cdr (assoc space notesd--folders)))

(defun notesd--file (hit)
  "Return the file of HIT."
  (concat (notesd--folder (alist-get 'space hit)) "/" (alist-get 'path hit)))

(defun notesd--text (hit)
  "Return HIT on one line."
  (let ((snippet (replace-regexp-in-string "</?mark>" "" (or (alist-get 'snippet hit) ""))))
    (concat (alist-get 'name hit) ": " (replace-regexp-in-string "[ \t\n]+" " " snippet))))

(defun notesd--xref (hit)
  "Return HIT as an xref."
  (xref-make (notesd--text hit)
             (xref-make-file-location (notesd--file hit) (max 1 (or (alist-get 'line hit) 1)) 0)))

(defun notesd--show (hits)
  "Show HITS as an xref list."
  (unless hits (user-error "Nothing found"))
  (let ((found (mapcar #'notesd--xref hits)))
    (funcall xref-show-xrefs-function (lambda () found)
             `((window . ,(selected-window)) (display-action . nil) (auto-jump . nil)))))

;;;###autoload
(defun notesd-search (query)
  "Show the notes that answer QUERY."
  (interactive "sSearch notes: ")
  (notesd--show (alist-get 'results (notesd-call "search" `((query . ,query) (limit . ,notesd-limit))))))

;;;###autoload
(defun notesd-related ()
  "Show the notes that belong with the open one."
  (interactive)
  (unless buffer-file-name (user-error "This buffer has no file"))
  (notesd--show
   (alist-get 'results
              (notesd-call "related" `((note . ,(file-truename buffer-file-name)) (limit . ,notesd-limit))))))

(defvar notesd--live-hits nil "Hits of what stands in the minibuffer.")
(defvar notesd--live-asked nil "What was asked last: the number and the text.")

(defun notesd--live-look ()
  "Ask what stands in the minibuffer, unless that was asked last."
  (let ((query (minibuffer-contents-no-properties)))
    (unless (equal query (cdr notesd--live-asked))
      (if (string-empty-p (string-trim query))
          (setq notesd--live-asked (cons 0 query) notesd--live-hits nil)
        (let (mine)
          (setq mine
                (notesd-ask
                 "search" `((query . ,query) (limit . ,notesd-limit) (record . :json-false))
                 (lambda (result _reason)
                   (when (eq mine (car notesd--live-asked)) ; else it is an older question
                     (setq notesd--live-hits (alist-get 'results result))
                     (notesd--live-show)))))
          (setq notesd--live-asked (cons mine query)))))))

(defun notesd--live-show ()
  "Show the hits beside the minibuffer."
  (with-current-buffer (get-buffer-create "*notesd*")
    (let ((inhibit-read-only t))
      (erase-buffer)
      (dolist (hit notesd--live-hits) (insert (notesd--text hit) "\n"))
      (goto-char (point-min)))
    (special-mode)
    (display-buffer (current-buffer))))

;;;###autoload
(defun notesd-live ()
  "Search while you type; RET opens the first hit."
  (interactive)
  (setq notesd--live-hits nil notesd--live-asked nil)
  (minibuffer-with-setup-hook
      (lambda () (add-hook 'post-command-hook #'notesd--live-look nil t))
    (read-from-minibuffer "Search notes: "))
  (while (and notesd--live-asked (assq (car notesd--live-asked) notesd--waiting)
              (process-live-p notesd--process))
    (accept-process-output notesd--process 0.1))
  (when (get-buffer "*notesd*") (kill-buffer "*notesd*"))
  (if notesd--live-hits (notesd-open (car notesd--live-hits)) (user-error "Nothing found")))

(defun notesd-open (hit)
  "Open HIT at its line, and let use be learnt."
  (find-file (notesd--file hit))
  (goto-char (point-min))
  (forward-line (1- (max 1 (or (alist-get 'line hit) 1))))
  (notesd-ask "open" `((notes . [,buffer-file-name]) (max_chars . 1)) #'ignore))

(provide 'notesd)

;;; notesd.el ends here
